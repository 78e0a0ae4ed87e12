import { expect, test } from 'bun:test'
import { COMMANDS } from '#shared/commands.ts'
import { COMMAND_NAMES, contractOf, isCommandName } from '#shared/contracts.ts'

test('loads the contract of every command', async () => {
  const contracts = await Promise.all(COMMAND_NAMES.map((name) => contractOf(name)))

  expect(COMMAND_NAMES.toSorted()).toEqual(Object.keys(COMMANDS).toSorted() as never)
  expect(contracts).toEqual(COMMAND_NAMES.map((name) => COMMANDS[name]))
})

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'SITE.CREATE',
  'site.create ',
])('does not know the command %p', (name) => {
  expect(isCommandName(name)).toBe(false)
})
