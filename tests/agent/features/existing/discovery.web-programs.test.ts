import { expect, test } from 'bun:test'
import { webPrograms } from '#agent/features/existing/discovery.ts'

const listener = (program: string, port: number) => ({ address: '', port, program, pid: 7 })

test.each([
  'nginx',
  'nginx-rc',
  'openresty',
  'apache2',
  'apache2-rc',
  'httpd',
  'caddy',
  'openlitespeed',
  'litespeed',
])('the sites of %s are found', (program) => {
  expect(webPrograms([listener(program, 443), listener(program, 80), listener('x', 81)])).toEqual([
    { program, ports: [80, 443], understood: true, reason: null },
  ])
})

test('names the programs whose sites are not found', () => {
  expect(webPrograms([listener('haproxy', 80)])).toEqual([
    { program: 'haproxy', ports: [80], understood: false, reason: 'program_not_understood' },
  ])
})
