import { type ReadingDeps, reading } from '#agent/kernel/calls/reading.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { keysReading, newKeysReading } from '#shared/servers/keys.readings.ts'
import { witnessReading } from '#shared/servers/record.readings.ts'

export const keys = reading(keysReading, async ({ rotation }) => requireRotation(rotation).known())

export const newKeys = reading(newKeysReading, async ({ rotation, params }) =>
  requireRotation(rotation).replace(params),
)

export const witness = reading(witnessReading, async ({ record, params }) => {
  if (!record) throw notFound('Endpoint')
  return record.keep(params)
})

/** Throws not_found without authentication, where the endpoints do not exist. */
function requireRotation(rotation: ReadingDeps['rotation']) {
  if (!rotation) throw notFound('Endpoint')
  return rotation
}
