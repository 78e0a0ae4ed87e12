import { expect, test } from 'bun:test'
import { differences } from '#agent/features/copies/site.compare.ts'

const file = (path: string, size = 1) => `${path}\tf\t${size}\t1700000000\t`
const none = { count: 0, examples: [] }

test('tells new, changed and missing files apart, also with tabs in their names', () => {
  const live = [file('both', 1), file('only live'), 'folder\td', 'link\tl\t4\t1700000000\t/old']
  const staging = [file('both', 2), file('a\tf\t1'), 'link\tl\t4\t1700000000\t/new', file('x\ny')]

  expect(differences(live, staging)).toEqual({
    added: { count: 2, examples: ['a?f?1', 'x?y'] },
    changed: { count: 2, examples: ['both', 'link'] },
    removed: { count: 2, examples: ['folder', 'only live'] },
    live_changed: { count: 3, examples: ['both', 'link', 'only live'] },
    live_known: false,
  })
})

test('names what a push would revert or remove, of what was written since both were the same', () => {
  const uploads = file('wp-content/uploads/a.jpg')
  const live = [file('both'), file('kept'), file('only live'), 'folder\td', uploads]
  const staging = [file('both', 2), file('kept', 2)]
  const written = new Set(['both', 'only live', 'wp-content/uploads/a.jpg', 'same'])

  expect(differences(live, staging, written)).toMatchObject({
    live_changed: { count: 2, examples: ['both', 'only live'] },
    live_known: true,
  })
})

test('counts all and shows the first ones', () => {
  const many = Array.from({ length: 30 }, (_, at) => file(`file-${String(at).padStart(2, '0')}`))

  const { added, changed, removed } = differences([], many)

  expect([added.count, added.examples.length, added.examples[0]]).toEqual([30, 20, 'file-00'])
  expect([changed, removed]).toEqual([none, none])
})
