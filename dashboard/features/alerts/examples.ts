const ANSWER = '250 2.0.0 Ok: queued as 4Xn2Yc0000'

export const NOTIFICATION_EXAMPLES = {
  Notifications: {
    enabled: true,
    server: { host: 'smtp.example.com', port: 587, tls: 'starttls' },
    from: 'hosting-control@example.com',
    recipients: ['ops@example.com'],
    last: { at: '2026-03-01T09:30:12.000Z', accepted: true, answer: ANSWER },
  },
  NotificationTest: { to: 'ops@example.com', accepted: true, answer: ANSWER },
}
