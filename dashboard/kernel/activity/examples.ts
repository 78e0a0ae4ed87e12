import { AT, OPERATION } from '#dashboard/kernel/http/example-values.ts'

export const ACTIVITY_EXAMPLES = {
  Activity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
  },
  FleetActivity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
    actor: 'admin@example.com',
    token: 'deploy script',
    address: '203.0.113.7',
    via: 'token',
    server_id: 1,
    server: 'web-1',
    site_id: 7,
    operation_id: OPERATION,
    bulk_id: null,
    detail: null,
  },
  RecordProblem: { code: 'changed', id: 41, message: 'Activity 41 was changed' },
  RecordVerification: {
    ok: true,
    entries: 41,
    unsealed: 0,
    checkpoint: `hosting-control/0d0bd3c26ee0a57f\n57\n8mFDS8UyfoKjRmCEZ1ATHhqVFsCdvkDtbk2gyCmpB9I=\nlast 41\ntime ${AT}\n\n— hosting-control/0d0bd3c26ee0a57f 5T0Rq1Jl\n`,
    verifier: 'hosting-control/0d0bd3c26ee0a57f+e53d11ab+AdtMZ8Pr',
    problem: null,
    verified_at: AT,
  },
}
