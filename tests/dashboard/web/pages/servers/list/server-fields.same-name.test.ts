import { expect, test } from 'bun:test'
import { sameNameHint } from '#dashboard/web/pages/servers/list/server-fields.tsx'

const servers = [
  { id: 1, name: 'web-1', hostname: 'a.example.com' },
  { id: 2, name: 'b.example.com', hostname: 'b.example.com' },
]
const OTHER =
  'The server at a.example.com has the same name. Choose another name to tell them apart.'

test.each([
  ['web-2', 'c.example.com', undefined, undefined],
  ['', '', undefined, undefined],
  ['web-1', 'c.example.com', undefined, OTHER],
  [' WEB-1 ', 'c.example.com', 2, OTHER],
  ['web-1', 'a.example.com', 1, undefined],
  ['', 'b.example.com', undefined, OTHER.replace('a.example', 'b.example')],
])(
  'the name %j at %j, of the server %p, is reported as used by another one: %j',
  (name, hostname, own, hint) => {
    expect(sameNameHint(servers, { name, hostname }, own)).toBe(hint)
  },
)
