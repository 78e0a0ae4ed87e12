import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { backupUndo } from '#agent/features/backups/backup.undo.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'

const PAGE = '/srv/www/shop/public/page.html'

async function restoredSite() {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.disk.putText(PAGE, 'changed')
  const params = restore({ files: true, database: true })
  await outcome(backupRestore.run(params, contextOf(host)))
  host.runs.length = 0
  return host
}

test('keeps the restored state, or restores the previous one, whichever effect fails', async () => {
  await eachFault(
    restoredSite,
    (host) => outcome(backupUndo.run({ domain: shop.domain }, contextOf(host))),
    async (host, _, [, result], fault) => {
      const expected = typeof result === 'string' ? 'as saved' : 'changed'
      expect([fault, host.disk.text(PAGE)]).toEqual([fault, expected])
      expect([fault, host.databases.has('shop')]).toEqual([fault, true])
    },
  )
})
