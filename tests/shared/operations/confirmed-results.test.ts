import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { OPERATION_NAMES, OPERATION_TYPES } from '#shared/operation-types.ts'
import { contradictedField } from '#shared/operations/confirmed-results.ts'

/** Fields with the name of a param that say what is the case, with the reason. */
const STATES: Readonly<Record<string, string>> = {
  'database.maintain tables': 'the outcome of each table',
  'mail.apply relay': 'whether there is one',
  'server.provision php_versions': 'the installed versions',
  'site.access clients': 'those that could be set',
  'site.access grants': 'who can log in now',
  'site.configure basic_auth': 'its user is compared',
  'site.configure maintenance': 'a setting of the site',
  'site.configure page_cache': 'a setting of the site',
  'site.configure php_settings': 'a setting of the site',
  'site.configure trusted_cdn': 'a setting of the site',
  'site.domains aliases': 'the recorded names are those of the params',
  'site.domains redirects': 'the recorded names are those of the params',
  'site.domains www': 'the recorded names are those of the params',
  'site.jobs jobs': 'with the next run of each',
  'site.receive staging': 'whether it is protected',
  'site.switch certificate': 'that of the other server',
  'updates.configure unattended': 'an administrator may have configured it',
  'wp.debug until': 'nothing of it is recorded',
}

type Json = {
  properties?: Record<string, Json>
  anyOf?: Json[]
  allOf?: Json[]
  $ref?: string
}

/** The fields of a schema, through unions with null. */
function fieldsOf(schema: z.ZodType): Record<string, Json> {
  const options = { unrepresentable: 'any', io: 'input' } as const
  const json = z.toJSONSchema(schema, options) as Json & { $defs?: Record<string, Json> }
  for (const field of Object.values(propertiesOf(json))) {
    const named = field.$ref?.replace('#/$defs/', '')
    if (named !== undefined) Object.assign(field, json.$defs?.[named])
  }
  return propertiesOf(json)
}
const propertiesOf = ({ properties = {}, anyOf = [], allOf = [] }: Json): Record<string, Json> =>
  Object.assign({}, properties, ...[...anyOf, ...allOf].map(propertiesOf))

function has(fields: Record<string, Json>, path: string): boolean {
  const [name = '', ...rest] = path.split('.')
  const field = fields[name]
  return field !== undefined && (rest.length === 0 || has(propertiesOf(field), rest.join('.')))
}

const commandsOf = OPERATION_NAMES.flatMap((type) => {
  const { command, outcome } = OPERATION_TYPES[type]
  return command
    ? [{ type, params: fieldsOf(command.params), result: fieldsOf(outcome.result) }]
    : []
})

describe('the fields that a result confirms', () => {
  test.each(commandsOf)('$type: exist in the result and in the params', (each) => {
    const missing = Object.entries(OPERATION_TYPES[each.type].confirms).filter(
      ([field, param]) => !has(each.result, field) || !has(each.params, param),
    )
    // The dashboard names the repository in the recorded params.
    expect(missing.filter(([field]) => field !== 'backup.repository')).toEqual([])
  })

  test.each(commandsOf)('$type: include every field that has the name of a param', (each) => {
    const confirmed = Object.keys(OPERATION_TYPES[each.type].confirms)
    const same = Object.keys(each.result).filter((name) => name in each.params)
    const free = same.filter((name) => !confirmed.includes(name))
    expect(free.filter((name) => !(`${each.type} ${name}` in STATES))).toEqual([])
  })
})

test('a result may leave out what is optional, and nothing else may differ', () => {
  const asked = { domain: 'shop.example', php: '8.4', tier: null }
  const field = (result: object) => contradictedField('site.update', result, asked)
  expect(
    [
      { domain: 'shop.example', php: '8.4', tier: 'large' },
      { domain: 'shop.example' },
      { domain: 'victim.example', php: '8.4' },
      { domain: 'shop.example', php: null },
    ].map(field),
  ).toEqual([undefined, undefined, 'domain', 'php'])
})
