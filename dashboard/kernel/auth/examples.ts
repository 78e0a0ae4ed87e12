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
  CallerRights: {
    role: 'operator',
    secrets: true,
    rights: ['own.read', 'own', 'read', 'operate', 'secrets'],
    parts: [
      {
        tag: 'shop',
        server_id: null,
        site_id: null,
        rights: ['read', 'operate', 'secrets', 'admin'],
      },
    ],
  },
  ChangePassword: {
    current_password: 'the old one, as it was',
    password: 'correct horse battery staple',
    end_tokens: true,
  },
  ChangeProfile: {
    name: 'Administrator',
    email: 'admin@example.com',
    password: 'correct horse battery staple',
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
  CurrentToken: {
    name: 'deploy script',
    scope: 'operate',
    role: 'operator',
    rights: ['own.read', 'read', 'operate'],
    parts: [],
    expires_at: '2027-02-18T14:05:02.000Z',
  },
  StartTotp: { password: 'correct horse battery staple' },
  TotpState: { enabled: true, since: AT, recovery_codes_left: 10 },
  Login: { email: 'admin@example.com', password: 'correct horse battery staple' },
  RequestReset: { email: 'admin@example.com' },
  ResetPassword: {
    token: 'Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE',
    password: 'correct horse battery staple',
  },
  Session: {
    id: 'b3JkaW5hcnktc2Vzc2lvbi',
    device: 'Firefox on Linux',
    address: '203.0.113.7',
    created_at: AT,
    last_used_at: AT,
    is_current: true,
  },
  User: { id: 1, email: 'admin@example.com', name: 'Administrator' },
}
