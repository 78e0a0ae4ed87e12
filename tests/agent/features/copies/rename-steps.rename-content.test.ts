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

test('leaves space on the disk of MariaDB, except for the undo', async () => {
  const host = await renamable()
  host.disk.guard = (action) => {
    if (action === `write /var/lib/hosting-agent/sites/${NEW}.json`)
      throw new Error('read-only file system')
  }

  const [, reason] = await rename(host)

  expect(reason).toEqual(expect.any(String))
  const imports = host.runs.filter(
    ({ line, options }) => line.startsWith('mariadb ') && options.input_file !== undefined,
  )
  expect(imports.map(({ options }) => options.seen_ms)).toEqual([200, undefined])
})
