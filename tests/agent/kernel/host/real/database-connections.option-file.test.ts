import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountIn, readAccount } from '#agent/kernel/host/real/database-connections.ts'

const folder = await mkdtemp(join(tmpdir(), 'options-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([
  ['[client]\npassword=secret\n', { user: 'root', password: 'secret' }],
  ['[client]\nuser = admin\npassword = "a # b\\"c"\n', { user: 'admin', password: 'a # b"c' }],
  ["[client]\npassword='it # is'\n", { user: 'root', password: 'it # is' }],
  ['[client]\npassword=plain # a comment\n', { user: 'root', password: 'plain' }],
  ['[client]\npassword=a\\sb\\\\c\n', { user: 'root', password: 'a b\\c' }],
  [
    '[mysqldump]\npassword=other\n[client-mariadb]\npassword=mine\n',
    { user: 'root', password: 'mine' },
  ],
  ['[client]\nuser=root\n', undefined],
  ['[mysqld]\npassword=x\n', undefined],
  ['', undefined],
])('reads %j as MariaDB does', (text, account) => {
  expect(accountIn(text)).toEqual(account as ReturnType<typeof accountIn>)
})

test('uses the first file that names an account, and none that others can write', async () => {
  const [open, own] = [join(folder, 'open.cnf'), join(folder, 'own.cnf')]
  await Bun.write(open, '[client]\npassword=planted\n')
  await chmod(open, 0o666)
  await Bun.write(own, '[client]\npassword=mine\n')
  await chmod(own, 0o600)

  expect(await readAccount([join(folder, 'missing'), open, own])).toEqual({
    user: 'root',
    password: 'mine',
  })
})
