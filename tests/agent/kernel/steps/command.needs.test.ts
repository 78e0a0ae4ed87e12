import { expect, test } from 'bun:test'
import { z } from 'zod'
import { commands } from '#agent/commands.ts'
import { readings } from '#agent/readings.ts'
import { COMMANDS, type CommandName } from '#shared/commands.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { READINGS } from '#shared/readings.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'

async function withoutSystemd() {
  const host = await server(shop)
  host.init = 'direct'
  host.runs.length = 0
  return { host, before: host.disk.all }
}

const refused = (message: string) => ({ error: 'Conflict', message })
const bodyOf = (work: Promise<unknown>) => work.catch((error: ServiceError) => error.body)

const backup = { from: { kind: 'backup' } }
const CASES: readonly [CommandName, object, string][] = [
  ['backup.check', {}, 'Backups need a server that systemd started'],
  ['backup.create', {}, 'Backups need a server that systemd started'],
  ['backup.prove', {}, 'Backups need a server that systemd started'],
  ['backup.restore', {}, 'Backups need a server that systemd started'],
  ['site.refresh', backup, 'Backups need a server that systemd started'],
  ['site.clone', backup, 'Backups need a server that systemd started'],
  ['site.clone', { from: { kind: 'site' } }, 'Clones need a server that systemd started'],
  ['site.receive', backup, 'Backups need a server that systemd started'],
  ['site.gather', {}, 'Backups need a server that systemd started'],
  ['site.catch-up', {}, 'Backups need a server that systemd started'],
  ['site.switch', {}, 'Moves need a server that systemd started'],
  ['site.object-cache', { memory: 64 }, 'An object cache needs a server with systemd'],
  ['site.configure', { page_purge: true }, 'The purge of pages needs a server with systemd'],
  ['site.jobs', { add: {} }, 'Cron jobs of sites need a server that systemd started'],
  ['site.jobs', { jobs: [{}] }, 'Cron jobs of sites need a server that systemd started'],
  ['database.tool', {}, 'Adminer needs systemd, which isolates it from the sites of this server'],
]

test.each(CASES)(
  '%s with %j needs systemd, and starts nothing without',
  async (name, params, message) => {
    const { host, before } = await withoutSystemd()
    const { plan } = await commands[name]()

    // The need is decided by these params alone.
    expect(await bodyOf(plan(params as never, host))).toEqual(refused(message))

    expect([host.ran, host.disk.all]).toEqual([[], before])
  },
)

test.each([
  ['site.refresh', { from: { kind: 'site' } }],
  ['site.object-cache', { memory: null }],
  ['site.configure', { page_purge: null }],
  ['site.jobs', { jobs: [] }],
  ['site.jobs', { remove: 'one' }],
] as const)('%s with %j needs no systemd', (name, params) => {
  expect(COMMANDS[name].needs?.(params as never)).toBeUndefined()
})

const ADMINER = 'Adminer is not installed on this server: open it again in the dashboard'

const SESSIONS = 'The sessions of sites are known on servers with systemd only'

test('readings of storages, of sessions and of Adminer need systemd, and start nothing without', async () => {
  const { host, before } = await withoutSystemd()
  const needing = READINGS.filter(({ needs }) => needs !== undefined)

  const answers = needing.map(async ({ at }) => {
    const { answer } = await readings[at]()
    const asked = { ...readingDeps(host), params: {}, signal: new AbortController().signal }
    return [at, await bodyOf(Promise.resolve(answer({ ...asked, ask: undefined } as never)))]
  })

  expect(Object.fromEntries(await Promise.all(answers))).toEqual({
    'POST /backups/browse': refused(NEEDS.backups.refusal),
    'POST /backups/download': refused(NEEDS.backups.refusal),
    'POST /backups/find': refused(NEEDS.backups.refusal),
    'POST /backups/keeper': refused(NEEDS.backups.refusal),
    'POST /backups/list': refused(NEEDS.backups.refusal),
    'POST /sites/database-tool': refused(ADMINER),
    'POST /sites/database-tool-file': refused(ADMINER),
    'POST /sites/sessions': refused(SESSIONS),
    'POST /sites/sessions/end': refused(SESSIONS),
  })
  expect([host.ran, host.disk.all]).toEqual([[], before])
})

/** restic would run without a sandbox. */
test('nothing that reaches a storage runs without systemd', () => {
  const reaches = ({ params }: { params: z.ZodType }) =>
    JSON.stringify(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })).includes(
      '"place":',
    )
  const calls = [
    ...Object.values(COMMANDS).map((contract) => ({ at: contract.name, ...contract })),
    ...READINGS,
  ]
  const needless = calls.filter((call) => reaches(call) && call.needs === undefined)

  expect(needless.map(({ at }) => at)).toEqual([])
})
