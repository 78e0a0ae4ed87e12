import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { notificationsQuery, testNotifications } from '#dashboard/web/api/settings.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import type { Notifications as Shown } from '#shared/alerts/api/notifications.ts'
import { SwitchSetting } from './setting.tsx'

/** Mail about critical items, with a test of the SMTP server of the dashboard. */
export function Notifications({ value }: { value: boolean }) {
  const { data, error, refetch } = useQuery(notificationsQuery)
  const client = useQueryClient()
  const test = useMutation({
    mutationFn: testNotifications,
    onSettled: () => client.invalidateQueries({ queryKey: notificationsQuery.queryKey }),
    onError: toastError,
  })
  return (
    <Card
      title="Notifications"
      actions={
        data?.server && (
          <Button needs="admin" icon={<Mail />} busy={test.isPending} onClick={() => test.mutate()}>
            Send test message
          </Button>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <div className="flex flex-col gap-4">
          <SwitchSetting
            setting="email_notifications"
            label="E-mail notifications"
            about={`When a critical item appears on the overview, ${data.recipients.join(', ')} gets one message, and another one when it ends. Items with the same cause are in the same message.`}
            value={value}
          />
          <Server of={data} />
          {test.data && <Outcome {...test.data} />}
        </div>
      )}
    </Card>
  )
}

function Server({ of: { server, from, last } }: { of: Shown }) {
  if (!server) {
    return (
      <Notice kind="warn" title="No mail can be sent">
        Set SMTP_URL in the environment of the dashboard, then start it again.
      </Notice>
    )
  }
  const encrypted = server.tls === 'plain' ? ', without encryption' : ''
  return (
    <>
      <p className="text-xs text-muted">
        {`Messages are sent from ${from} through ${server.host}:${server.port}${encrypted}.`}
      </p>
      {last && !last.accepted && (
        <Notice kind="bad" title="The last message was not accepted">
          {last.answer}
        </Notice>
      )}
    </>
  )
}

function Outcome({ to, accepted, answer }: { to: string; accepted: boolean; answer: string }) {
  if (!accepted) return null
  return (
    <Notice kind="info" title={`The test message to ${to} was accepted`}>
      {answer}
    </Notice>
  )
}
