import { strictObject, z } from 'zod'
import { Timestamp } from '#shared/kernel/api/parts.ts'
import { Port } from '#shared/kernel/fields.ts'

const Answer = z
  .string()
  .describe('What the SMTP server answered last, or why there is no answer; in one line.')

export const Notifications = strictObject({
  enabled: z.boolean().describe('The setting `email_notifications`.'),
  server: z
    .strictObject({
      host: z.string(),
      port: Port,
      tls: z.enum(['implicit', 'starttls', 'plain']).describe('plain: without encryption.'),
    })
    .nullable()
    .describe('The SMTP server in `SMTP_URL`; null: there is none, and no mail can be sent.'),
  from: z.string().nullable().describe('The sender; null as above.'),
  recipients: z.array(z.string()).describe('The addresses of all users.'),
  last: strictObject({ at: Timestamp, accepted: z.boolean(), answer: Answer })
    .nullable()
    .describe('The last message since the start of the dashboard, tests included.'),
}).meta({ id: 'Notifications', description: 'How critical items are mailed.' })
export type Notifications = z.infer<typeof Notifications>

export const NotificationTest = strictObject({
  to: z.string().describe('The address of the caller.'),
  accepted: z.boolean().describe('The SMTP server has accepted the message.'),
  answer: Answer,
}).meta({ id: 'NotificationTest', description: 'The outcome of a test message.' })
export type NotificationTest = z.infer<typeof NotificationTest>
