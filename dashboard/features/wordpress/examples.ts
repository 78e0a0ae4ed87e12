import { AT } from '#dashboard/kernel/http/example-values.ts'

const SiteUser = { id: 1, login: 'anna', name: 'Anna Weber', role: 'administrator' }

export const LOGIN_EXAMPLES = {
  SiteUser,
  SiteUsers: { users: [SiteUser], more: false },
  StartLogin: { user_id: 1 },
  StartedLogin: {
    url: 'https://shop.example/.well-known/hosting-login',
    token: 'Vq7Kx2nE0sYb4LhT9rCwUzJdMfGp3oAi6HtNySeRkXc',
    user: 'anna',
    expires_at: AT,
  },
  WpLoginComplete: {
    status: 'ok',
    domain: 'shop.example',
    user: 'anna',
    url: 'https://shop.example/.well-known/hosting-login',
  },
}
