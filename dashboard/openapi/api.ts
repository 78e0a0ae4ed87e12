import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'

export const healthApi: Descriptions = {
  getHealth: {
    route: 'GET /health',
    summary: 'Tell that the dashboard runs',
    answers: { 200: { about: 'It does.', json: z.strictObject({ status: z.literal('ok') }) } },
  },
}

export const openApiApi: Descriptions = {
  getOpenApi: {
    route: 'GET /api/openapi.json',
    summary: 'Show this document',
    answers: {
      200: {
        about: 'OpenAPI 3.1.',
        json: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
        headers: ['ETag'],
      },
      304: { about: 'It is what `If-None-Match` names.', headers: ['ETag'] },
    },
    example: { openapi: '3.1.1', paths: {} },
  },
}
