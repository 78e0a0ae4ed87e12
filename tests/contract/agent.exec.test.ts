// tier: core
import { describe, expect, test } from 'bun:test'
import { COMMANDS } from '#shared/commands.ts'
import { hostileBackups, ownParams, validBackups } from '#tests/support/agent/backup-params.ts'
import {
  hostileDomains,
  hostileEmails,
  hostilePhp,
  hostileText,
  hostileTiers,
  hostileTls,
  hostileUsers,
  noText,
} from '#tests/support/hostile.ts'
import { runtimesOf } from '#tests/support/processes.ts'
import { badRequest, failed, failedOn, notFound, type Row, row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const exec = (command: unknown, params: unknown = {}) => ({
  method: 'POST',
  path: '/exec',
  body: { command, params },
})

const unknownCommands: Row[] = [
  'site.explode',
  '__proto__',
  'constructor',
  'toString',
  'site.create.',
  ' site.create',
  'SITE.CREATE',
  'site.create;reboot',
  '$(reboot)',
  '../exec',
  '',
].map((name) =>
  row(`An unknown command is 400 with a message naming it: ${JSON.stringify(name)}`)
    .call(exec(name))
    .answers(400, badRequest(`Unknown command: ${name}`)),
)

const badBodies: Row[] = [
  { what: 'no command', body: { params: {} }, field: 'command' },
  { what: 'a number as command', body: { command: 7, params: {} }, field: 'command' },
  { what: 'null as command', body: { command: null, params: {} }, field: 'command' },
  { what: 'a list as command', body: { command: ['wp.scan'], params: {} }, field: 'command' },
  { what: 'an object as command', body: { command: {}, params: {} }, field: 'command' },
].map(({ what, body, field }) =>
  row(`A body of the wrong shape is 422 naming the field: ${what}`)
    .post('/exec', body)
    .answers(422, failedOn(field)),
)

const noParams: Row[] = [
  { what: 'none', body: { command: 'wp.scan' } },
  { what: 'null', body: { command: 'wp.scan', params: null } },
  { what: 'a list', body: { command: 'wp.scan', params: [] } },
  { what: 'a string', body: { command: 'wp.scan', params: 'shop.example' } },
].map(({ what, body }) =>
  row(`Bad params are 422 with fields: ${what}`)
    .post('/exec', body)
    .answers(422, failed(expect.any(Object))),
)

const named: Row[] = [
  row('An unknown command is 400 also when there are no params')
    .post('/exec', { command: 'site.explode' })
    .answers(400, badRequest('Unknown command: site.explode')),
  row('Missing parameters are named, each with its message: wp.scan')
    .call(exec('wp.scan'))
    .answers(422, failed({ domain: ['Domain is required'] })),
  row('Missing parameters are named, each with its message: site.create')
    .call(exec('site.create'))
    .answers(
      422,
      failed({
        domain: ['Domain is required'],
        php: ['PHP version is required'],
        email: ['E-mail address is required'],
        user: ['User is required'],
      }),
    ),
  row('Missing parameters are named, each with its message: pool.apply')
    .call(exec('pool.apply'))
    .answers(
      422,
      failed({
        user: ['User is required'],
        php_version: ['PHP version is required'],
        tier: ['Tier is required'],
      }),
    ),
  row('A purge wants the domain given again')
    .call(exec('site.purge', { domain: 'shop.example', trashed_days: 0 }))
    .answers(422, failed({ confirm: ['Domain is required'] })),
  row('A purge of another domain than the one given again fails on confirm')
    .call(
      exec('site.purge', {
        domain: 'shop.example',
        confirm: 'www.shop.example',
        trashed_days: 0,
      }),
    )
    .answers(422, failed({ confirm: ['Must be the domain of the site'] })),
  row('Pool apply with a tier other than small, medium, large fails on tier')
    .call(exec('pool.apply', { user: 'shop', php_version: '8.2', tier: 'huge' }))
    .answers(422, failed({ tier: ['Must be small, medium or large'] })),
]

const dry = (command: string, params: unknown, dry_run: unknown = true) => ({
  ...exec(command),
  body: { command, params, dry_run },
})

const dryRuns: Row[] = [
  ...[1, 0, 'true', '', null, {}, []].map((dry_run) =>
    row(`A dry_run that is neither true nor false is 422 on it: ${JSON.stringify(dry_run)}`)
      .call(dry('wp.scan', { domain: 'nobody.example' }, dry_run))
      .answers(422, failed({ dry_run: ['Must be true or false'] })),
  ),
  row('The plan of an unknown command is 400 with a message naming it')
    .call(dry('site.explode', {}))
    .answers(400, badRequest('Unknown command: site.explode')),
  row('A plan checks the parameters as the command does')
    .call(dry('pool.apply', { user: 'shop', php_version: '8.2', tier: 'huge' }))
    .answers(422, failed({ tier: ['Must be small, medium or large'] })),
  // A dashboard sends an id that an agent without plans refuses.
  row('A plan is refused as the command is')
    .call({
      ...dry('wp.scan', { domain: 'nobody.example' }),
      headers: { 'operation-id': 'dry run' },
    })
    .answers(404, notFound('Site nobody.example')),
]

const noSwitch = [...hostileText, null, 7, {}, [], 'true', 0, 1]
const hostile: Record<string, readonly unknown[]> = {
  domain: [...hostileDomains, ...noText],
  confirm: [...hostileDomains, ...noText],
  trashed_days: [-1, 366, 1.5, '14', null, {}, [], true],
  php: [...hostilePhp, ...noText, 8.3],
  php_version: [...hostilePhp, ...noText, 8.3],
  tier: [...hostileTiers, ...noText],
  tls: [...hostileTls, ...noText],
  ...{ database_routines: noSwitch, php_source: noSwitch, xmlrpc: noSwitch },
  email: [...hostileEmails, ...noText],
  user: [...hostileUsers, ...noText],
  service: [...hostileText, ...noText, 'ssh', 'nginx;id', 'php-fpm:', 'php-fpm:../x', ' nginx'],
  php_versions: [...hostileText, null, 7, {}, [8.3], ['8.3', '-rf'], Array(11).fill('8.3')],
  accept: [...hostileText, null, 7, {}, [7], ['everything'], Array(6).fill('php_restarted')],
  url: [
    ...hostileText,
    ...noText,
    'file:///agent/linux-x64.gz',
    'https:///agent/linux-x64.gz?x',
    'https://a.example/other.gz',
    'https://u@a.example/agent/linux-x64.gz',
    `https://${'a'.repeat(2048)}/agent/linux-x64.gz`,
  ],
  sha256: [...hostileText, ...noText, 'a'.repeat(63), 'A'.repeat(64), 'a'.repeat(65)],
  manifest: [null, 7, {}, [], true, 'x'.repeat(1025)],
  scope: ['', 'All', 'none', 7, {}, [], null],
  restart_database: [null, 'true', 0, 1, {}, []],
  unattended: [null, 'true', 0, 1, {}, []],
  enabled: [null, 'true', 0, 1, {}, []],
  relay: [7, 'smtp.example', true, []],
  from_address: [...hostileEmails, 7, true, {}, []],
  rewrite_from: ['', 'Always', 'all', 7, {}, []],
  hourly_limit: [0, -1, 1.5, '5', 100_001, {}, [], true],
  to: [...hostileEmails, ...noText],
  signature: [...hostileText, null, 7, {}, [], 'A'.repeat(85), 'A'.repeat(87), '+'.repeat(86)],
  ...hostileBackups,
}
const valid: Record<string, unknown> = {
  domain: 'nobody.example',
  confirm: 'nobody.example',
  trashed_days: 14,
  php: '8.2',
  php_version: '8.2',
  tier: 'small',
  tls: 'none',
  database_routines: false,
  xmlrpc: false,
  email: 'ann@nobody.example',
  user: 'nobody-has-this',
  service: 'nginx',
  ...{ php_versions: [], php_source: false },
  accept: [],
  url: 'https://control.example/agent/linux-x64.gz',
  sha256: 'a'.repeat(64),
  manifest: '{}',
  signature: 'A'.repeat(86),
  scope: 'security',
  restart_database: false,
  unattended: true,
  enabled: true,
  relay: null,
  from_address: null,
  rewrite_from: null,
  hourly_limit: null,
  to: 'ann@example.org',
  ...validBackups,
}

describe.each(runtimesOf('agent.exec'))('%s', (runtime) => {
  const { client } = useAgent(runtime)

  test.each([...unknownCommands, ...badBodies, ...noParams, ...named, ...dryRuns])(
    '$sentence',
    async (row) => {
      expect(await client().send(row)).toAnswer(row)
    },
  )

  test('shortens and cleans an invalid command name', async () => {
    const { status, body } = await client().send(exec(`\x1b[31m\r\nx${'y'.repeat(100_000)}`))

    const message = expect.stringMatching(/^Unknown command: [^\p{Cc}]{1,200}$/u)
    expect({ status, body }).toEqual({ status: 400, body: { error: 'Bad request', message } })
  })

  test.each(paramCases())(
    '%s refuses a hostile %s: all forms are 422 on it',
    async (name, field) => {
      const params = validFor(name)
      const forms = hostile[field] ?? []
      expect(forms).not.toBeEmpty()
      for (const value of forms) {
        const { status, body } = await client().send(exec(name, { ...params, [field]: value }))

        expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn(field) })
      }
    },
  )

  test.each([false, true])(
    'changes nothing without the rights, dry_run %s: 403 for each changing command',
    async (dry_run) => {
      for (const [name, { changes }] of Object.entries(COMMANDS)) {
        if (!changes) continue
        const params = validFor(name)
        const { status, body } = await client().send(dry(name, params, dry_run))

        const message = 'The agent must run as root to change this server'
        expect({ name, status, body }).toEqual({
          name,
          status: 403,
          body: { error: 'Forbidden', message },
        })
      }
    },
  )
})

const validFor = (name: string): Record<string, unknown> => ({
  ...Object.fromEntries(Object.keys(shapeOf(name)).map((key) => [key, valid[key]])),
  ...ownParams[name],
})

function paramCases(): [string, string][] {
  return Object.keys(COMMANDS).flatMap((name) =>
    Object.keys(shapeOf(name)).map((field): [string, string] => [name, field]),
  )
}

function shapeOf(name: string): object {
  return Object.entries(COMMANDS).find(([key]) => key === name)?.[1].params.shape ?? {}
}
