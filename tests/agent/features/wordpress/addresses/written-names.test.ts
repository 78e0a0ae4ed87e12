import { expect, test } from 'bun:test'
import { writtenNamesOf } from '#agent/features/wordpress/addresses/written-names.ts'

test.each([
  ['shop.example', ['www.shop.example', 'shop.example']],
  [
    'xn--bcher-kva.example',
    ['www.xn--bcher-kva.example', 'xn--bcher-kva.example', 'www.bücher.example', 'bücher.example'],
  ],
  // No text of it leads to the same name.
  ['xn--zzzzzzzzzzzz.example', ['www.xn--zzzzzzzzzzzz.example', 'xn--zzzzzzzzzzzz.example']],
])('the names of %s, as people write them', (domain, names) => {
  expect(writtenNamesOf(domain)).toEqual(names)
})
