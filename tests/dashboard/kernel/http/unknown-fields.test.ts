import { expect, test } from 'bun:test'
import { z } from 'zod'
import { unknownNestedFields } from '#dashboard/kernel/http/unknown-fields.ts'

const Body = z.object({
  grants: z.array(z.object({ person: z.int(), until: z.string().optional() })).default([]),
  place: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('local'), path: z.string() }),
      z.object({ kind: z.literal('s3'), bucket: z.string(), ca: z.object({ pem: z.string() }) }),
    ])
    .optional(),
  values: z.record(z.string(), z.string()).nullable().optional(),
  strict: z.strictObject({ a: z.int() }).optional(),
  text: z.string().transform(Number).optional(),
})

test.each<[Record<string, unknown>, Record<string, string[]>]>([
  [{}, {}],
  [{ unknown: 1 }, {}],
  [{ grants: [{ person: 1, until: 'x' }] }, {}],
  [
    { grants: [{ person: 1, untill: 'x' }, { people: 1 }, null, 7, []] },
    { grants: ['untill', 'people'] },
  ],
  [{ grants: { person: 1, x: 2 } }, {}],
  [{ place: { kind: 'local', path: '/x' } }, {}],
  [{ place: { kind: 'local', path: '/x', bucket: 'b' } }, { place: ['bucket'] }],
  [{ place: { kind: 's3', bucket: 'b', ca: { pem: '', key: '' } } }, { place: ['key'] }],
  [{ place: 'local' }, {}],
  [{ values: { anything: 'x' } }, {}],
  [{ values: null }, {}],
  [{ strict: { a: 1, b: 2 } }, {}],
  [{ text: { a: 1 } }, {}],
  [
    { grants: [JSON.parse('{"__proto__":{"x":1},"constructor":1}')] },
    { grants: ['__proto__', 'constructor'] },
  ],
])('the unknown fields in %j are found', (given, names) => {
  const rules = Object.entries(names).map(([field, all]) => [
    field,
    all.map((name) => `Unknown field: ${name}`),
  ])

  expect(unknownNestedFields(Body, given)).toEqual(Object.fromEntries(rules))
})
