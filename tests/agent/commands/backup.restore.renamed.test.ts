import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/commands/backup.restore.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { NEW, OLD, rename } from '#tests/support/agent/renaming.ts'

const PAGE = '/srv/www/shop/public/page.html'

test('a backup of the time of another primary domain gets the present addresses', async () => {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.pages.set(`http://${NEW}/`, '')
  expect((await rename(host))[1]).toMatchObject({ domain: NEW })
  host.runs.length = 0

  const params = { ...restore({ files: true, database: true }), domain: NEW }
  const [lines, result] = await outcome(backupRestore.run(params, contextOf(host)))

  expect(result).toMatchObject({ domain: NEW })
  expect(lines).toContain(`Changed 0 addresses of ${OLD}, the former primary domain`)
  expect(lines).toContain('Changing the addresses in configuration files')
  expect(host.disk.text(PAGE)).toBe('as saved')
  const rewritten = host.runs.filter(({ line }) => line.endsWith(' rewrite'))
  expect(rewritten[0]?.options.input).toContain(
    JSON.stringify({ from: `https://${OLD}`, to: `http://${NEW}` }),
  )
})
