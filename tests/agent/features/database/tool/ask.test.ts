import { expect, test } from 'bun:test'
import { DatabaseTool } from '#agent/features/database/tool/ask.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'

const { domain } = shop
const password = 'p'.repeat(43)
const request = {
  ...{ domain, user: nameOf(600), password, method: 'POST' as const, query: 'sql=' },
  ...{ type: 'application/x-www-form-urlencoded', body: btoa('a=1') },
}
const page = btoa('Content-Type: text/html\r\n\r\nhello')

/** A server with Adminer and users: what the program was given. */
async function prepared(...users: string[]) {
  const all = await withAccounts(
    ...users.map((user) => ({ user, name: 'shop', writes: 'N' as const })),
  )
  const { host } = all
  host.init = 'systemd'
  host.disk.putText('/usr/share/adminer/adminer.php', '<?php')
  let count = 0
  let running = 0
  let most = 0
  const run = host.shell.try
  const given: { argv: readonly string[]; directives: readonly string[]; input: string }[] = []
  host.shell.try = async (argv, options = {}) => {
    if (argv.at(-1) !== 'tool') return run(argv, options)
    given.push({ argv, directives: options.site?.directives ?? [], input: options.input ?? '' })
    running += 1
    most = Math.max(most, running)
    await Bun.sleep(1)
    running -= 1
    const ran = { answer: page, is_whole: true, session: `s${++count}` }
    return { code: 0, stdout: JSON.stringify(ran), stderr: '' }
  }
  return { ...all, given, most: () => most, tool: new DatabaseTool(host) }
}

test('runs Adminer with a user of its own, and the password on standard input only', async () => {
  const { tool, given } = await prepared(request.user)

  const { head, content } = await tool.ask(request)
  await tool.ask(request)

  expect([head, Buffer.from(content).toString()]).toEqual([
    { status: 200, type: 'text/html' },
    'hello',
  ])
  const runs = given.map(({ input }) => JSON.parse(input))
  expect(runs.map(({ session }) => session)).toEqual(['', 's1'])
  expect(runs[0]).toMatchObject({
    program: '/usr/sbin/php-fpm8.2',
    content: request.body,
    params: {
      ...{ HOSTING_USER: request.user, HOSTING_PASSWORD: password, HOSTING_DATABASE: 'shop' },
      ...{ REQUEST_METHOD: 'POST', QUERY_STRING: 'sql=', CONTENT_LENGTH: '3' },
    },
  })
  expect(JSON.stringify(given.map(({ argv }) => argv))).not.toContain(password)
  expect(given[0]?.directives).toEqual(
    expect.arrayContaining([
      ...['DynamicUser=yes', 'PrivateNetwork=yes', 'RestrictAddressFamilies=AF_UNIX'],
      ...[
        'CapabilityBoundingSet=',
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'PrivateTmp=yes',
      ],
    ]),
  )
  expect(
    given[0]?.directives.filter((line) => line.startsWith('RestrictAddressFamilies')),
  ).toHaveLength(1)
})

test('answers nobody whose time is over, or whose user is of another site or unknown', async () => {
  const { tool, given } = await prepared(nameOf(-1), nameOf(7200, 'b'.repeat(10)))

  const refusals = [nameOf(-1), nameOf(7200, 'b'.repeat(10)), nameOf(600, 'c'.repeat(10))].map(
    (user) => tool.ask({ ...request, user }).catch((error: Error) => error.message),
  )
  const elsewhere = tool
    .ask({ ...request, domain: 'none.example' })
    .catch((error: Error) => error.message)

  expect(new Set(await Promise.all(refusals))).toEqual(
    new Set(['The session of Adminer was not found']),
  )
  expect([await elsewhere, given]).toEqual(['Site none.example not found', []])
})

test('runs four at once, lets others wait, and refuses more than thirty of these', async () => {
  const { tool, given, most } = await prepared(request.user)

  const many = await Promise.allSettled(Array.from({ length: 40 }, () => tool.ask(request)))
  const reasons = many.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))

  expect([given.length, most(), reasons.length]).toEqual([34, 4, 6])
  expect(reasons[0]).toContain('too many requests on this server')
  expect((await tool.ask(request)).head.status).toBe(200)
})

test('a file of its pages comes from memory, and needs no user', async () => {
  const { tool, given } = await prepared()

  await tool.file({ domain, file: 'default.css' })
  await tool.file({ domain, file: 'default.css' })

  expect(given.map(({ input }) => JSON.parse(input).params.HOSTING_PASSWORD)).toEqual([undefined])
})
