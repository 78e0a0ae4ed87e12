import { expect, test } from 'bun:test'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import {
  goesToJournal,
  storeFirstLogin,
  takeFirstLogin,
} from '#dashboard/kernel/auth/first-login.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const login = { email: 'ann@example.com', password: 'made up' }

test('a stored login is readable for its owner alone, and is shown once', async () => {
  await using home = await makeFolder()

  await storeFirstLogin(home.path, { ...login, password: 'of a start that was killed' })
  await storeFirstLogin(home.path, login)
  const { mode } = await stat(`${home.path}/first-login`)

  expect((mode & 0o777).toString(8)).toBe('600')
  expect(await takeFirstLogin(home.path)).toBe('first login: ann@example.com\npassword: made up\n')
  expect(await takeFirstLogin(home.path)).toBeUndefined()
})

test('a login that cannot be stored or read does not count as shown', async () => {
  await using home = await makeFolder()
  await mkdir(`${home.path}/first-login`)

  expect(storeFirstLogin(home.path, login)).rejects.toThrow()
  expect(takeFirstLogin(home.path)).rejects.toThrow('EISDIR')
})

test('output to the journal is recognised by its device and inode alone', async () => {
  const descriptor = openSync('/dev/null', 'r')
  const { dev, ino } = fstatSync(descriptor)
  const goes = (stream?: string) => goesToJournal(stream, descriptor)
  const found = [goes(`${dev}:${ino}`), goes(`${dev}:${ino + 1}`), goes('9:9'), goes(undefined)]
  closeSync(descriptor)

  expect(found).toEqual([true, false, false, false])
})
