import { expect, test } from 'bun:test'
import { rightsText } from '#dashboard/web/labels/role.ts'
import { type PartGrantName, RIGHTS_ON_OBJECTS, rightsOf } from '#shared/kernel/rights.ts'

test.each<[PartGrantName[], string]>([
  [['client'], 'May see the site in plain words.'],
  [
    ['restore', 'login'],
    'May see the site in plain words, restore backups, and log in to WordPress.',
  ],
  [['viewer'], 'May see everything here.'],
  [['operator'], 'May see everything here, and do the everyday work.'],
  [['viewer', 'secrets'], 'May see everything here, and see passwords and contents.'],
  [
    ['admin'],
    'May see everything here, do the everyday work, see passwords and contents, and do all other work, such as to delete permanently.',
  ],
])('the grants %j are written as a sentence', (grants, text) => {
  const given = rightsOf(grants)

  expect(rightsText(RIGHTS_ON_OBJECTS.filter((right) => given.includes(right)))).toBe(text)
})
