import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/commands/backup.restore.ts'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { OperationStore } from '#agent/operations/store.ts'
import { fetchedOf, filesIn } from '#agent/os/backup/places.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { killedAt } from '#tests/support/agent/killed.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { renamable, renameParams } from '#tests/support/agent/renaming.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { stopDatabase } from '#tests/support/agent/stopped-database.ts'
import { nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'
import { every } from '#tests/support/runs.ts'

const { domain } = shop
const PAGE = '/srv/www/shop/public/page.html'
/** Some commands have only a dozen effects. */
const STEP = Math.min(every(4), 12)
const INTERRUPTED = 'The agent was restarted in the middle of the operation'
/** Undefined: it was killed before its first event. */
const ENDS: unknown[] = [undefined, 'complete', INTERRUPTED]

type Made<N extends CommandName> = Promise<{ host: FakeHost; params: ParamsOf<N> }>

/** Runs the command until its process is killed at the n-th effect; undefined: it had fewer. */
const cutOff =
  <N extends CommandName>(command: N, make: () => Made<N>) =>
  async (at: number): Promise<FakeHost | undefined> => {
    const { host, params } = await make()
    const { process, killed } = killedAt(host, at)
    const runner = new Runner({ host: process, commands, report: () => undefined })
    const ended = runner.start(command, params, 'op1').then(async (operation) => {
      for await (const _ of operation.follow(0, new AbortController().signal));
      return false
    })
    return (await Promise.race([killed, ended])) ? host : undefined
  }

/** The end of the operation, and the folders that its undo needs. */
async function found(host: FakeHost) {
  const store = new OperationStore(host.files, host.settings.state_dir)
  const last = (await store.events('op1')).at(-1)
  const folders = await Promise.all(
    [shop, copy].map(({ user }) => host.files.list(`/srv/www/.restore/${user}`)),
  )
  const left = folders.flat().filter(({ name }) => /^(replaced|fetched)$/.test(name))
  return [last?.event === 'error' ? last.data.message : last?.event, left.map(({ name }) => name)]
}

/** The password in wp-config.php of the copy is that of its account. */
async function refreshing(): Made<'site.refresh'> {
  const { host } = await pair()
  const { tar } = host.table
  host.table.tar = (...call) => {
    const path = `${filesIn(fetchedOf(copy.user))}/wp-config.php`
    host.disk.putText(path, `<?php\ndefine( 'DB_PASSWORD', 'secret' );\n`)
    return tar?.(...call) ?? { code: 0, stdout: '', stderr: '' }
  }
  return { host, params: { domain: copy.domain, from: { kind: 'site', domain } } }
}

async function pushing(): Made<'site.push'> {
  const tables = ['wp_options', 'wp_posts']
  const params = { domain, from: copy.domain, files: true, tables, overwrite: [] }
  return { host: (await pair()).host, params }
}

async function restoring(): Made<'backup.restore'> {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  const tables = { database: true as const, tables: ['x'] }
  return { host, params: restore({ files: true, paths: ['page.html'], ...tables }) }
}

async function undoing(): Made<'backup.undo'> {
  const { host, params } = await restoring()
  await outcome(backupRestore.run(params, contextOf(host)))
  return { host, params: { domain } }
}

async function adding(): Made<'database.user'> {
  const account_hash = `*${'AB'.repeat(20)}`
  const wanted = { token: 'a1b2c3d4e5', rights: 'read' as const, minutes: 10, account_hash }
  return { host: (await withAccounts()).host, params: { domain, ...wanted } }
}

async function ending(): Made<'database.user-end'> {
  const user = nameOf(600)
  return {
    host: (await withAccounts({ user, name: 'shop', writes: 'N' })).host,
    params: { domain, user },
  }
}

const renaming = async () => ({ host: await renamable(), params: renameParams() })

test.each([
  ['a refresh', cutOff('site.refresh', refreshing)],
  ['a push', cutOff('site.push', pushing)],
  ['a restore of tables', cutOff('backup.restore', restoring)],
  ['the undo of one', cutOff('backup.undo', undoing)],
  ['a change of the primary domain', cutOff('site.rename', renaming)],
  ['a temporary user', cutOff('database.user', adding)],
  ['the end of a temporary user', cutOff('database.user-end', ending)],
])(
  'completes or undoes %s while MariaDB still starts',
  async (_, killedIn) => {
    const ends: unknown[] = []
    for (let effect = 1; ; effect += STEP) {
      const host = await killedIn(effect)
      if (!host) break
      stopDatabase(host)
      await recover(host, commands)
      const [end, left] = await found(host)
      ends.push(end)
      expect([effect, end, left]).toEqual([effect, ENDS.includes(end) ? end : INTERRUPTED, []])
    }
    expect(ends).toContain(INTERRUPTED)
  },
  240_000,
)
