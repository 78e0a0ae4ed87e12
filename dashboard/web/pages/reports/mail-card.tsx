import { useQuery } from '@tanstack/react-query'
import { Pencil, Send } from 'lucide-react'
import { useState } from 'react'
import {
  changeReportMail,
  reportMailQuery,
  sendReport,
  testReport,
} from '#dashboard/web/api/reports.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useAction, useFormCall } from '#dashboard/web/ui/use-call.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import {
  MAX_RECIPIENTS,
  type ReportMail,
  type SentReport,
  type SiteReport,
} from '#shared/reports/api/report.ts'
import { monthName } from '#shared/reports/months.ts'

interface MailCardProps {
  site: Site
  /** The shown report, which can be sent. */
  report: SiteReport
}

/** Who gets the report by mail, and what was sent. */
export function MailCard({ site, report }: MailCardProps) {
  const { data, error, refetch } = useQuery(reportMailQuery(site))
  const edit = useDialog()
  const send = useDialog()
  const test = useAction(() => testReport(site, report.month), {
    changes: [['activity']],
    onSuccess: ({ to, accepted, answer }) =>
      accepted
        ? toast(`The report was sent to ${to}`)
        : toast(`The test message was not accepted: ${answer}`, { error: true }),
  })
  return (
    <Card
      title="Report by mail"
      actions={
        data && (
          <>
            {data.can_send && (
              <Button needs="operate" busy={test.isBusy} onClick={() => test.run()}>
                Send a test to me
              </Button>
            )}
            {data.can_send && data.recipients.length > 0 && report.complete && (
              <Button needs="operate" icon={<Send />} onClick={send.show}>
                Send now
              </Button>
            )}
            <Button needs="operate" icon={<Pencil />} onClick={edit.show}>
              Edit recipients
            </Button>
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <div className="flex flex-col gap-4">
          <MailState mail={data} />
          <SentList sent={data.sent} />
          {edit.dialog.open && <EditRecipients site={site} mail={data} {...edit.dialog} />}
          {send.dialog.open && <SendNow site={site} report={report} mail={data} {...send.dialog} />}
        </div>
      )}
    </Card>
  )
}

function MailState({ mail: { enabled, recipients, next_at, can_send } }: { mail: ReportMail }) {
  return (
    <>
      {!can_send && (
        <Notice kind="warn" title="No mail can be sent">
          Set SMTP_URL in the environment of the dashboard, then start it again.
        </Notice>
      )}
      <p className="break-words">
        {enabled
          ? `The report of each month is sent to ${recipients.join(', ')}.`
          : 'The report is not sent automatically.'}
        {next_at !== null && ` The next one is due on ${formatTime(next_at)}.`}
      </p>
    </>
  )
}

const STATE_TEXTS: Record<SentReport['state'], string> = {
  sending: 'Being sent',
  sent: 'Sent',
  failed: 'Not sent',
  unclear: 'Unclear: it may have been sent',
}

function SentList({ sent }: { sent: readonly SentReport[] }) {
  if (sent.length === 0) return null
  return (
    <ul aria-label="Sent reports" className="divide-y divide-line border-t border-line">
      {sent.map(({ month, state, at, recipients, refused, answer }) => (
        <li key={month} className="flex flex-wrap gap-x-4 gap-y-1 py-2">
          <span className="w-36 font-medium">{monthName(month)}</span>
          <span className={state === 'failed' || state === 'unclear' ? 'text-bad' : ''}>
            {STATE_TEXTS[state]}
          </span>
          <span className="text-muted">
            <Time at={at} />
          </span>
          <span className="min-w-0 flex-1 basis-60 text-xs break-words text-muted">
            {`To ${recipients.join(', ')}.`}
            {refused.length > 0 && ` Refused: ${refused.join(', ')}.`}
            {answer !== '' && ` ${answer}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

type EditProps = DialogState & { site: Site; mail: ReportMail }

function EditRecipients({ site, mail, open, onClose }: EditProps) {
  const [enabled, setEnabled] = useState(mail.enabled)
  const [text, setText] = useState(mail.recipients.join('\n'))
  const recipients = text.split(/[\s,;]+/).filter((address) => address !== '')
  const { form, refusals } = useFormCall(() => changeReportMail(site, { enabled, recipients }), {
    fields: ['recipients'],
    changes: [reportMailQuery(site).queryKey, ['activity']],
    done: 'The recipients are saved',
    onSuccess: onClose,
    onClose,
  })
  return (
    <Dialog open={open} onClose={onClose} title={`Report of ${unicodeOf(site.domain)} by mail`}>
      <DialogForm {...form} action="Save recipients">
        <CheckField
          label="Send the report of each month"
          about="In the first days of the next month, at the time in the settings."
          checked={enabled}
          onChange={setEnabled}
        />
        <TextAreaField
          name="recipients"
          label="Recipients"
          hint={`One address in each line, at most ${MAX_RECIPIENTS}. All of them get the same message.`}
          error={refusals.recipients}
          value={text}
          onChange={setText}
        />
      </DialogForm>
    </Dialog>
  )
}

type SendProps = EditProps & Pick<MailCardProps, 'report'>

function SendNow({ site, report, mail, open, onClose }: SendProps) {
  const before = mail.sent.find(({ month }) => month === report.month)
  const { form } = useFormCall(() => sendReport(site, report.month), {
    changes: [reportMailQuery(site).queryKey, ['activity'], ['overview']],
    done: ({ sent }) => {
      const state = sent.find(({ month }) => month === report.month)?.state ?? 'sending'
      return `Report of ${monthName(report.month)}: ${STATE_TEXTS[state]}`
    },
    onSuccess: onClose,
    onClose,
  })
  return (
    <Dialog open={open} onClose={onClose} title={`Send the report of ${monthName(report.month)}`}>
      <DialogForm {...form} action="Send report">
        <p className="break-words">It is sent to {mail.recipients.join(', ')}.</p>
        {before?.state === 'sent' && <p>It was sent before: they get it again.</p>}
        {before?.state === 'unclear' && (
          <p>Whether it was sent before is unclear: they may get it again.</p>
        )}
      </DialogForm>
    </Dialog>
  )
}
