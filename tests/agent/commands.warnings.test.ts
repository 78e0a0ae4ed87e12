import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { restorable } from '#tests/support/agent/backup.ts'
import { backupServer, fromSite, siteServer } from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { EVERYDAY } from '#tests/support/agent/everyday.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { renamable, renameParams } from '#tests/support/agent/renaming.ts'
import { copy } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

interface Case {
  command: CommandName
  make: () => Promise<{ host: FakeHost; params: object }>
}
/** `decides`: the write that decides. */
type Deciding = Case & { decides: RegExp }

const [imported] = EVERYDAY.filter(({ command }) => command === 'database.import')
if (!imported) throw new Error('There is no case of database.import')
const KEPT = /^rename .*\/replaced \/srv\/www\/.restore\/[\w-]+\/previous$/
const from = copy.domain
const pushed = { domain: shop.domain, from, files: true, tables: ['wp_posts'], overwrite: [] }
const refreshed = { domain: copy.domain, from: { kind: 'site', domain: shop.domain } }

const DECIDING: readonly Deciding[] = [
  { command: 'backup.restore', make: restorable, decides: KEPT },
  {
    command: 'database.import',
    make: async () => ({ host: await imported.make(), params: imported.params }),
    decides: KEPT,
  },
  { command: 'site.clone', make: backupServer, decides: /^write .*\/sites\/copy.example.json$/ },
  {
    command: 'site.push',
    make: async () => ({ host: (await pair()).host, params: pushed }),
    decides: KEPT,
  },
  {
    command: 'site.refresh',
    make: async () => ({ host: (await pair()).host, params: refreshed }),
    decides: KEPT,
  },
  {
    command: 'site.rename',
    make: async () => ({ host: await renamable(), params: renameParams() }),
    decides: /^remove .*\/sites\/shop.example.json$/,
  },
]

async function saving() {
  const { host, saving: params } = await restorable()
  return { host, params }
}

/** They dump the database of a site; a copy of a backup does not. */
const DUMPING: readonly Case[] = [
  { command: 'backup.create', make: saving },
  {
    command: 'site.clone',
    make: async () => ({ host: await siteServer(), params: fromSite }),
  },
  ...DECIDING.filter(({ command }) => command !== 'site.clone'),
]

/** Every write after this one fails. */
function failAfter({ disk, shell }: FakeHost, last: RegExp): void {
  let isOver = false
  const write = (action: string) => {
    if (isOver) throw new Error('read-only file system')
    isOver = last.test(action)
  }
  const { run } = shell
  disk.guard = write
  shell.run = async (argv, options) => {
    if (argv[0] === 'rm') write(argv.join(' '))
    return run(argv, options)
  }
}

async function run<N extends CommandName>(name: N, host: FakeHost, params: object) {
  const warnings: Warning[] = []
  const command = await commands[name]()
  const work = command.run(params as ParamsOf<N>, contextOf(host, warnings))
  const [, result] = await outcome(work)
  return { result, warnings }
}

test.each(DECIDING)(
  '$command warns of what it could not clean up after its decision',
  async ({ command, make, decides }) => {
    const { host, params } = await make()
    failAfter(host, decides)

    const { result, warnings } = await run(command, host, params)

    expect(result).toBeObject()
    expect(warnings).toEqual([{ code: 'cleanup_pending', message: 'read-only file system' }])
  },
)

test.each(DUMPING)(
  '$command warns of a dump whose tables may have rows of several moments',
  async ({ command, make }) => {
    const { host, params } = await make()
    for (const database of ['shop', 'staging@002dshop'])
      host.disk.putText(`/var/lib/mysql/${database}/a.MYD`, '')

    const { result, warnings } = await run(command, host, params)

    expect(result).toBeObject()
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['left_out']))
    expect(warnings[0]?.message).toStartWith('Warning: 1 table has an engine without transactions')
  },
)
