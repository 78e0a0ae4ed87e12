import { expect, test } from 'bun:test'
import { z } from 'zod'
import { AccessReport } from '#shared/access/site-access.ts'

const names = z.object({ user: AccessReport.user, shell_user: AccessReport.shell_user })

test.each(['shop', 'shop.ssh', '_a-b_1'])('%s is a name to log in with', (name) => {
  expect(names.safeParse({ user: name, shell_user: name }).success).toBe(true)
})

test.each(['', 'a;id', 'a b', '-oProxyCommand=id', '$(id)', 'a\nb', '`id`'])(
  'a server cannot report %j as a name to log in with',
  (name) => {
    expect(names.safeParse({ user: name, shell_user: null }).success).toBe(false)
    expect(names.safeParse({ user: 'shop', shell_user: name }).success).toBe(false)
  },
)
