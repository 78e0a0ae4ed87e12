import { type ReadingDeps, reading } from '#agent/calls/reading.ts'
import { notFound } from '#shared/errors.ts'
import { keysReading, newKeysReading } from '#shared/readings/keys.ts'

export const keys = reading(keysReading, async ({ rotation }) => there(rotation).known())

export const newKeys = reading(newKeysReading, async ({ rotation, params }) =>
  there(rotation).replace(params),
)

/** Unknown endpoints without authentication. */
function there(rotation: ReadingDeps['rotation']) {
  if (!rotation) throw notFound('Endpoint')
  return rotation
}
