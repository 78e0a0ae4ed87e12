import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CONFIRMS } from '#shared/confirmed-results.ts'
import { OPERATION_NAMES } from '#shared/operation-types/index.ts'

const HEADING = "## What an agent's answer is checked against"

const text = await Bun.file(join(import.meta.dir, '../../../.github/SECURITY.md')).text()
const [, section = ''] = text.split(HEADING)
const rows = new Map(
  section.split('\n').flatMap((line) => {
    const [, name = '', changes = '', checked = ''] = line.split(/ ?\| ?/)
    const type = /^`([a-z]+\.[a-z-]+)`$/.exec(name)?.[1]
    return type ? [[type, { changes, checked }] as const] : []
  }),
)

test('the table of answers in SECURITY.md has every type of operation once, in order', () => {
  expect([...rows.keys()]).toEqual(OPERATION_NAMES.toSorted())
})

test('it names every field that a result confirms, and each row says what it changes', () => {
  const fields: Readonly<Record<string, string>> = {
    'backup.repository': 'repository',
    'proof.backup': 'backup',
    'settings.domain': 'domain',
    'basic_auth.user': 'user',
    former: 'former',
  }
  const missing = OPERATION_NAMES.flatMap((type) => {
    const { changes = '', checked = '' } = rows.get(type) ?? {}
    const names = Object.keys(CONFIRMS[type]).map((field) => fields[field] ?? field)
    const left = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(checked))
    return changes === '' || left.length > 0 ? [{ type, left }] : []
  })
  expect(missing).toEqual([])
})
