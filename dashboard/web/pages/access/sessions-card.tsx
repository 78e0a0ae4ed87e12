import { useQuery } from '@tanstack/react-query'
import { MonitorUp } from 'lucide-react'
import { useState } from 'react'
import { accessSessionsQuery, endAccessSession } from '#dashboard/web/api/access.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteSession } from '#shared/access/api/access.ts'

/** Who is connected by SFTP or SSH now, with a button to end each session. */
export function SessionsCard({ site }: { site: Site }) {
  const isOffline = useServerOffline(site)
  const { data, error, refetch } = useQuery({ ...accessSessionsQuery(site), enabled: !isOffline })
  const { dialog, show } = useDialog()
  const [chosen, setChosen] = useState<SiteSession>()
  const open = (session: SiteSession) => {
    setChosen(session)
    show()
  }
  const end = async () => {
    if (!chosen) return
    await endAccessSession(site, chosen.id)
    await refetch()
  }
  return (
    <Card title="Connected now" flush>
      {isOffline ? (
        <Empty icon={<MonitorUp />} title="Unknown">
          The server is offline.
        </Empty>
      ) : (
        <QueryState of={{ data, error, refetch }} rows={1} flush />
      )}
      {data?.length === 0 && (
        <Empty icon={<MonitorUp />} title="Nobody is connected">
          Sessions by SFTP and SSH appear here while they are open.
        </Empty>
      )}
      {data && data.length > 0 && <Sessions sessions={data} onEnd={open} />}
      <Confirm
        {...dialog}
        title={`End the session of ${chosen?.who ?? ''}?`}
        action="End session"
        isDestructive
        onConfirm={end}
      >
        A running transfer is cut off. No other session ends. Whoever has access can log in again.
      </Confirm>
    </Card>
  )
}

interface SessionsProps {
  sessions: readonly SiteSession[]
  onEnd: (session: SiteSession) => void
}

const Sessions = ({ sessions, onEnd }: SessionsProps) => (
  <RecordTable
    label="Open sessions"
    rows={sessions}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Since', show: ({ at }) => <Time at={at} /> },
      { name: 'Who', className: 'break-all', show: ({ who }) => who },
      { name: 'Access', show: ({ kind }) => (kind === 'shell' ? 'Shell' : 'SFTP') },
      { name: 'From', cell: 'font-mono text-xs', show: ({ address }) => address },
      {
        name: 'Actions',
        className: 'text-right whitespace-nowrap',
        show: (session) => (
          <Button
            needs="operate"
            kind="quiet"
            aria-label={`End session of ${session.who}`}
            onClick={() => onEnd(session)}
          >
            End session
          </Button>
        ),
      },
    ]}
  />
)
