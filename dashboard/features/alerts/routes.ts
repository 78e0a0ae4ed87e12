import { getSettings } from '#dashboard/features/settings/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { Notifications, NotificationTest } from '#shared/alerts/api/notifications.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Alerts } from './alerts.ts'
import type { Mailer } from './mailer.ts'
import { TEST_MESSAGE } from './message.ts'
import { listAddresses } from './queries.ts'

interface Deps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  marks: Marks
  mailer: Mailer | undefined
  alerts: Alerts
}

const route = routesWith<Deps>()

const NO_MAILER_TEXT =
  'The dashboard cannot send mail: set SMTP_URL in its environment, then start it again'

export const notificationRoutes = {
  getNotifications: route({
    at: 'GET /api/fleet/notifications',
    summary: 'Show how critical items are mailed',
    right: 'read',
    answers: shows('The setting, the SMTP server, and the last message.', {
      notifications: Notifications,
    }),
    run: async ({ deps: { db, marks, mailer, alerts } }) => ({
      notifications: {
        enabled: (await getSettings(db)).email_notifications,
        server: mailer?.server ?? null,
        from: mailer?.from ?? null,
        recipients: await listAddresses(db, marks),
        last: alerts.last ?? null,
      },
    }),
  }),
  testNotifications: route({
    at: 'POST /api/fleet/notifications/test',
    summary: 'Send a test message to yourself',
    details:
      'Through the SMTP server of the dashboard, also while `email_notifications` is off. 200 with the answer of that server, whether it accepts the message or not; 409 without SMTP_URL.',
    right: 'admin',
    answers: { 200: { about: 'The answer of the SMTP server.', json: NotificationTest } },
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, caller }) => {
      const { db, clock, random, mailer, alerts } = deps
      if (!mailer) throw conflict(NO_MAILER_TEXT)
      const { id: user_id, email: to } = caller.user
      const message = { ...TEST_MESSAGE, to: [to], id: randomText(random, 16) }
      const { accepted, answer } = await alerts.send(mailer, message)
      const status = accepted ? 'success' : 'failed'
      await recordActivity(db, entryOf(clock, { type: 'notifications.test', status, user_id }))
      return { to, accepted, answer }
    },
  }),
}
