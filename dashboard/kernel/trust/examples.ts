import { AT } from '#dashboard/kernel/http/example-values.ts'

const hub_key = 'ed25519:2q8Xn5:7pQeJ0mYtVwZ3r9sLk1hGxUoBfC6dAiNR4S8E2TzMjw'

export const TRUST_EXAMPLES = {
  Enrolment: {
    code: 'Xo3vT9kQ2mZpL7wB1nYc5A',
    expires_at: AT,
    hub_key,
    lines: [
      {
        machine: 'linux-x64',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        line: 'curl -fsS https://control.example.net/agent/linux-x64.gz | …',
      },
    ],
    obstacle: '',
  },
  EnrolmentState: {
    enrolled_at: null,
    code: {
      status: 'open',
      expires_at: AT,
      reason: 'The agent runs and waits for its code',
    },
  },
  KeyView: {
    kid: '2q8Xn5',
    hub_key,
    state: 'current',
    created_at: AT,
    age: 86400,
    until: null,
    agents: 12,
  },
}
