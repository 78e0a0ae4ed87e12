import { expect, test } from 'bun:test'
import { searchWords } from '#shared/kernel/search-words.ts'

test.each([
  ['shop', ['shop']],
  ['North  Academy', ['north', 'academy']],
  ['https://www.Shop.example:8443/wp-admin/?a=b#c', ['shop.example']],
  ['www.shop.example', ['shop.example']],
  ['http://user@shop.example/path shop', ['shop.example', 'shop']],
  ['shop.example/blog', ['shop.example']],
  ['  ', []],
  ['https:// /', ['https://', '/']],
  ['%25', ['%25']],
])('%j is searched for by %j', (text, words) => {
  expect(searchWords(text)).toEqual(words)
})
