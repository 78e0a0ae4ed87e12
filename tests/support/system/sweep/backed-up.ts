import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { shopOf, withShop } from '#tests/support/system/prepared.ts'
import { startCrashingAgent } from './agent.ts'
import { startDatabaseLate } from './late-database.ts'
import { perform, type Work } from './sweep.ts'
import { Sweeps } from './sweeps.ts'

const Done = OPERATION_TYPES['backup.create'].outcome.result
const target = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }
const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }

export const SHOP = shopOf('bookworm')
const { domain, user } = SHOP

export const BACK_UP: Work = ['backup.create', { domain, target, repository: user, ...keys }]

/** A server whose agent can crash, with a site and a backup of it. */
export async function startBackedUp(name: string) {
  const sweeps = new Sweeps(await startCrashingAgent(name, { image: await withShop('bookworm') }))
  const { agent } = sweeps
  const { host } = agent
  await startDatabaseLate(host)
  await putRestic(host)
  await host.must(['install', '-d', '-m', '0700', '/mnt/store'])
  /** Different pages show which files a site has. */
  const write = (text: string, of = user) =>
    host.must(['bash', '-c', `echo ${text} > /srv/www/${of}/public/page.html`])
  await write('saved')
  const ended = await perform(agent, BACK_UP)
  const { backup, sealed_password } = Done.parse(ended.events.at(-1)?.data)
  const { id, repository } = backup
  const password = opened(dashboard.privateKey, sealed_password)
  await quickenKeys(`${host.root}/mnt/store/${repository}`, password)
  await write('changed')
  const show = ['mariadb', '--skip-column-names', user]
  const tables = await host.must(show, { input: "SHOW TABLES LIKE '%\\_commentmeta'" })
  return {
    ...{ sweeps, agent, write },
    prefix: tables.trim().replace('commentmeta', ''),
    backup: { target, repository, ...openedBy(password), backup: id },
  }
}
