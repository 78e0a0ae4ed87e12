import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { moveSite } from '#dashboard/web/api/moves.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { optionsFor } from '#dashboard/web/ui/option.ts'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** Chooses the new server, and says what visitors notice. */
export function MoveSite({ site, ...dialog }: DialogState & { site: Site }) {
  const { data } = useQuery({ ...fleetQuery, enabled: dialog.open })
  const may = useMay()
  const [chosen, setChosen] = useState<number>()
  const others = (data?.servers ?? []).filter(
    ({ id, status }) =>
      id !== site.server_id && status === 'online' && may('operate', { server_id: id }),
  )
  const server_id = chosen ?? (others.length === 1 ? others[0]?.id : undefined)
  return (
    <WorkDialog
      {...dialog}
      title={`Move ${unicodeOf(site.domain)} to another server`}
      about="The site keeps its address, users, files, database and backups. It serves visitors while it is copied."
      site={site}
      work={server_id === undefined ? undefined : moveSite(site, server_id)}
      action="Move site"
    >
      {data && others.length === 0 ? (
        <Notice kind="warn" title="There is no other server that is online">
          {may('read', 'fleet')
            ? 'Add a server first, or check why the others are offline.'
            : 'You can move sites to servers on which you may create sites.'}
        </Notice>
      ) : (
        <SelectField
          label="New server"
          name="server_id"
          hint={`It needs PHP ${site.php}.`}
          data-first
          value={server_id}
          options={[{ value: undefined, name: 'Choose a server' }, ...optionsFor(others)]}
          onChange={setChosen}
        />
      )}
      <Notice kind="info" title="For some seconds, visitors see that the site is moving">
        Then the old server forwards all visitors to the new one, whatever DNS says. Change DNS when
        it suits you, and confirm the move after that. Until then you can move the site back with
        all its changes.
      </Notice>
    </WorkDialog>
  )
}
