import type { Plan } from '#shared/plan.ts'
import { deviations, differences, type Things } from '#tests/support/plan/deviations.ts'
import { thingsOf } from './things.ts'
import type { World } from './world.ts'

interface Asked {
  method: string
  /** Below the server. */
  path: string
  body?: Record<string, unknown>
}

interface Options {
  /** Selects the things to compare. */
  only?: (thing: string) => boolean
  pages?: boolean
}

/** Package lists, which Debian's apt-daily.timer refreshes at any time. */
const APT = / \/var\/(cache|lib)\/apt(\/|$)/
const withoutApt = (things: Things) => new Map([...things].filter(([thing]) => !APT.test(thing)))

/**
 * Requests the plan of a call, runs the call with `act`, and returns where the machine and the journal
 * differ from the plan, and what the request of the plan itself changed.
 */
export async function unplanned(
  world: Pick<World, 'host' | 'dashboard' | 'path'>,
  asked: Asked,
  act: (planned: Record<string, unknown>) => Promise<void>,
  { only = (thing) => !APT.test(thing), pages = false }: Options = {},
): Promise<string[]> {
  const look = () => thingsOf(world.host, { pages })
  const before = await look()

  const body = { ...asked.body, dry_run: true }
  const planned = await world.dashboard.call(asked.method, world.path(asked.path), body)

  if (planned.status !== 200) throw new Error(`${planned.status} ${JSON.stringify(planned.body)}`)
  const changed = differences(withoutApt(before), withoutApt(await look()))
  const plan = planned.body.plan as Plan
  await act(planned.body)
  const compared = (things: Things) => new Map([...things].filter(([thing]) => only(thing)))
  const ran = await journal(world.host)
  const steps = plan.steps.map(({ name }) => name)
  return [
    ...changed.map(({ action, kind, name }) => `by the plan itself: ${action} ${kind} ${name}`),
    ...deviations(plan, compared(before), compared(await look())),
    ...(Bun.deepEquals(ran, steps) ? [] : [`ran ${ran}, planned ${steps}`]),
  ]
}

/** The steps of the newest operation. */
async function journal(host: World['host']): Promise<string[]> {
  const folder = '/var/lib/hosting-agent/operations'
  const [newest] = (await host.must(['ls', '-t', folder])).split('\n')
  const { stdout } = await host.exec(['cat', `${folder}/${newest}/journal.ndjson`])
  const entries = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return entries.filter(({ state }) => state === 'intent').map(({ step }) => step)
}
