import { expect, test } from 'bun:test'
import { pageOf } from '#agent/kernel/host/real/pages-helper.ts'

const HTML = 'Content-type: text/html; charset=UTF-8\r\n'

test.each([
  [undefined, { status: 0, complete: false }],
  ['', { status: 0, complete: false }],
  ['Content-type: text/html', { status: 0, complete: false }],
  [`${HTML}\r\n<html></html>\n<!-- cached -->`, { status: 200, complete: true }],
  [`${HTML}\r\n<html><p>\r\n\r\n</HTML>`, { status: 200, complete: true }],
  [`${HTML}\r\n<html><p>`, { status: 200, complete: false }],
  [`${HTML}\r\n`, { status: 200, complete: false }],
  [`Status: 500 Internal Server Error\r\n${HTML}\r\n`, { status: 500, complete: true }],
  [`${HTML}Location: https://shop.example/\r\n\r\n`, { status: 302, complete: true }],
  ['Content-Type: application/rss+xml\n\n<rss></rss>', { status: 200, complete: true }],
  ['Content-Type: application/rss+xml\n\n<rss>', { status: 200, complete: false }],
  ['Content-Type: application/json\n\n{}', { status: 200, complete: true }],
])('reads %j', (answer, page) => {
  expect(pageOf(answer)).toEqual(page)
})
