import { describe, expect, test } from 'bun:test'
import { pathOf } from '#dashboard/kernel/http/path.ts'

describe('the path of a request', () => {
  test.each([
    ['http://localhost:3000/api/servers', '/api/servers'],
    ['http://x/api/servers?limit=1', '/api/servers'],
    ['http://x?a=/b', '/'],
    ['http://x', '/'],
    ['http://x/?u=http://a/b', '/'],
    ['/api/servers', '/api/servers'],
    ['/api/servers?x=://a/health', '/api/servers'],
    ['//api/servers', '//api/servers'],
  ])('of %s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path)
  })
})
