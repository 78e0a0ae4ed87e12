import { Inbox } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, Failure, Skeleton } from '#dashboard/web/ui/states.tsx'

export function Messages() {
  return (
    <Card title="Messages">
      <div className="flex flex-col gap-3">
        <Notice kind="info" title="A new version is available" actions={<Button>Reload</Button>} />
        <Notice kind="wait" title="The server is offline">
          The operation starts when the agent answers again.
        </Notice>
        <Notice kind="warn" title="No mail relay is configured">
          Mail of this site is not sent.
        </Notice>
        <Notice kind="bad" title="The site is down">
          PHP does not answer. Restart PHP, or look at its log.
        </Notice>
        <Failure error={new Error('The dashboard cannot be reached')} onRetry={() => undefined} />
        <Empty icon={<Inbox />} title="No sites" action={<Button>Create site</Button>}>
          Sites that you create or that are found on your servers are listed here.
        </Empty>
        <Skeleton rows={2} />
      </div>
    </Card>
  )
}
