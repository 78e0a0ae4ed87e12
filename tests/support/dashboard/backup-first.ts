import { Refused } from '#tests/support/fake-operation.ts'
import { addSite, backupAgent, checkedTarget, confirmKit } from './backups.ts'
import { ending, makeDashboard, until } from './dashboard.ts'

/** A site that can be backed up, and an agent whose commands are listed in `given`. */
export async function prepared() {
  const { agent, given } = backupAgent({ now: () => new Date() })
  agent.works.set('site.update', async function* (params) {
    given.push({ 'site.update': params })
    yield 'Changing'
    return { status: 'ok', domain: params.domain, php: String(params.php ?? '8.2'), tier: 'small' }
  })
  agent.plan = { steps: [{ name: 'pool', title: 'Creating the pool', effects: [] }] }
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const backups = await addSite(dashboard, server_id)
  await confirmKit(dashboard)
  const target_id = await checkedTarget(dashboard, server_id)
  given.length = 0
  const at = backups.replace(/\/backups$/, '')
  const site_id = Number(at.split('/').at(-1))
  const last = async (type: string) =>
    (await dashboard.call('GET', `/api/operations?type=${type}`)).body.operations[0]
  const ended = (type: string) =>
    until(async () => {
      const found = await last(type)
      return found?.finished_at != null && found
    })
  const commands = () => given.flatMap((each) => Object.keys(each))
  const made = { agent, given, dashboard, server_id, target_id, site_id, at, backups }
  return { ...made, last, ended, commands, ...ending(dashboard, agent) }
}
type All = Awaited<ReturnType<typeof prepared>>

/** Backups wait for the returned call. */
export function held({ agent }: All): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const usual = agent.works.get('backup.create')
  agent.works.set('backup.create', async function* (params) {
    yield 'Waiting'
    await promise
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })
  return resolve
}

/** Backups fail until the returned call. */
export function broken({ agent }: All): () => void {
  const usual = agent.works.get('backup.create')
  agent.works.set('backup.create', async function* () {
    yield 'Saving'
    throw new Refused({ error: 'Conflict', message: 'The storage is full' })
  })
  return () => {
    if (usual) agent.works.set('backup.create', usual)
  }
}
