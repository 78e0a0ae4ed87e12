import { AT } from '#dashboard/kernel/http/example-values.ts'

export const AUTH_EXAMPLES = {
  ApiToken: {
    id: 2,
    name: 'deploy script',
    scope: 'operate',
    created_at: AT,
    expires_at: '2027-02-18T14:05:02.000Z',
    last_used_at: null,
  },
  ChangePassword: {
    current_password: 'the old one, as it was',
    password: 'correct horse battery staple',
    end_tokens: true,
  },
  ConfirmPassword: { password: 'correct horse battery staple' },
  CreateApiToken: {
    name: 'deploy script',
    password: 'correct horse battery staple',
    scope: 'operate',
    expires_in_days: 90,
  },
  ChangeTotp: { password: 'correct horse battery staple', code: '287082' },
  ConfirmTotp: { code: '287082' },
  StartTotp: { password: 'correct horse battery staple' },
  TotpState: { enabled: true, since: AT, recovery_codes_left: 10 },
  Login: { email: 'admin@example.com', password: 'correct horse battery staple' },
  User: { id: 1, email: 'admin@example.com', name: 'Administrator' },
}
