import { expect, test } from 'bun:test'
import { siteRenamePreview } from '#agent/features/copies/site.rename-preview.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { NEW, OLD, renamable } from '#tests/support/agent/renaming.ts'

const params = { domain: OLD, primary: NEW }

test('reports what would change by table and file, and changes nothing', async () => {
  const host = await renamable()
  const before = host.disk.all

  const [lines, result] = await outcome(siteRenamePreview.run(params, contextOf(host)))

  expect(lines).toEqual([
    'Reading the configuration files',
    'Counting the addresses in the database of shop.example',
  ])
  expect(result).toEqual({
    ...{ ...params, replaced: 1, left: [], rows: 1, files: ['wp-config.php'] },
    tables: [
      {
        ...{ name: 'wp_options', rows: 1 },
        columns: [{ name: 'option_value', values: 1, replaced: 1, serialized: 0 }],
      },
    ],
  })
  expect(host.disk.all).toEqual(before)
})

test('refuses what the change would refuse', async () => {
  const host = await renamable()

  const refused = siteRenamePreview.plan({ ...params, domain: 'none.example' }, host)

  expect(refused).rejects.toThrow('Site none.example not found')
})
