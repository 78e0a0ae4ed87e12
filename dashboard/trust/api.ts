import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { Enrolment, EnrolmentState } from '#shared/api/enrolment.ts'

export const trustApi: Descriptions = {
  openEnrolment: {
    route: 'POST /api/servers/:server_id/enrolment',
    summary: 'Make the line that installs the agent on a server',
    details: 'Takes the place of any before it, and holds for 15 minutes.',
    answers: {
      201: { about: 'Shown this once.', json: z.strictObject({ enrolment: Enrolment }) },
    },
  },
  getEnrolment: {
    route: 'GET /api/servers/:server_id/enrolment',
    summary: 'Show whether the agent of a server is trusted',
    answers: {
      200: { about: 'How it stands.', json: z.strictObject({ enrolment: EnrolmentState }) },
    },
  },
  revokeEnrolment: {
    route: 'DELETE /api/servers/:server_id/enrolment',
    summary: 'Trust the agent of a server no longer',
    answers: { 204: { about: 'It must be enrolled again.' } },
  },
}

export const downloadApi: Descriptions = {
  downloadAgent: {
    route: 'GET /agent/:file',
    summary: 'Download the executable of the agent',
    details: 'Compressed, as `<machine>.gz`, such as linux-x64.gz.',
    answers: { 200: { about: 'The executable.', file: 'application/gzip' } },
  },
}
