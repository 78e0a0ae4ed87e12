import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { Email } from '#shared/kernel/fields.ts'
import { reading } from '#shared/kernel/reading.ts'
import { AdminPassword } from '#shared/servers/agent.ts'
import { WordpressUsers } from './wp-login.ts'

export const wordpressUsersReading = reading({
  at: 'POST /sites/wordpress-users',
  params: SiteRequest.extend({
    email: Email.exactOptional().describe('Only users with this address, with any role.'),
  }),
  answer: WordpressUsers,
})

/** Sets a new password of the WordPress administrator. */
export const adminPasswordReading = reading({
  at: 'POST /sites/admin-password',
  params: SiteRequest,
  answer: AdminPassword,
  permit: 'passwords',
})
