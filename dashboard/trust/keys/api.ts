import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { KeyView } from '#shared/api/keys.ts'

const keys = z.strictObject({ keys: z.array(KeyView) })

export const keyApi: Descriptions = {
  listKeys: {
    route: 'GET /api/keys',
    summary: 'List the keys that sign for this dashboard',
    answers: { 200: { about: 'All of them.', json: keys } },
  },
  rotateKey: {
    route: 'POST /api/keys/rotate',
    summary: 'Make a new key and hand it to every agent',
    answers: { 201: { about: 'All keys, with the new one.', json: keys } },
  },
}
