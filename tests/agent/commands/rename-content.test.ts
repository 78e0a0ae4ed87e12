import { expect, test } from 'bun:test'
import { NEW, renamable, rename } from '#tests/support/agent/renaming.ts'
import { ended, knowAccounts, nameOf } from '#tests/support/agent/temporary-users.ts'

test('ends temporary users of the database before it is saved', async () => {
  const user = nameOf(600)
  const host = await renamable()
  const { steps } = knowAccounts(host, { user, name: 'shop', writes: 'Y' })
  const before: string[][] = []
  const { xargs } = host.table
  host.table.xargs = (machine, argv, options) => {
    if (argv.includes('mariadb-dump') && options.output_file) before.push([...steps])
    return xargs?.(machine, argv, options) ?? { code: 0, stdout: '', stderr: '' }
  }

  const [, result] = await rename(host)

  expect(result).toMatchObject({ domain: NEW })
  expect(before).toEqual([ended(user)])
})
