import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { kitsQuery, targetsQuery } from '#dashboard/web/api/backups.ts'
import { SitesTab } from '#dashboard/web/pages/backups/coverage/sites-tab.tsx'
import { FindBackups } from '#dashboard/web/pages/backups/find/find-backups.tsx'
import { KitCard } from '#dashboard/web/pages/backups/kit/kit-card.tsx'
import { NewKit } from '#dashboard/web/pages/backups/kit/new-kit.tsx'
import { DashboardCard } from '#dashboard/web/pages/backups/targets/dashboard-card.tsx'
import { RulesCard } from '#dashboard/web/pages/backups/targets/rules-card.tsx'
import { CheckTarget, RemoveTarget } from '#dashboard/web/pages/backups/targets/target-actions.tsx'
import { TargetForm } from '#dashboard/web/pages/backups/targets/target-form.tsx'
import { TargetsCard } from '#dashboard/web/pages/backups/targets/targets-card.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { FirstSteps } from './first-steps.tsx'
import type { BackupPart } from './search.ts'
import { ShownCheck } from './shown-check.tsx'

type Shown =
  | { dialog: 'kit' | 'add' }
  | { dialog: 'edit' | 'check' | 'find' | 'remove'; target: BackupTargetView }

/** Which sites have backups, where these are stored, and the recovery kit. */
export function BackupsPage() {
  const kits = useQuery(kitsQuery)
  const targets = useQuery(targetsQuery)
  const [shown, setShown] = useState<Shown>()
  const show = (next: Shown) => () => setShown(next)
  const { part = 'sites' } = useSearch({ from: '/inside/backups' })
  const navigate = useNavigate({ from: '/backups' })
  const open = (next: BackupPart) =>
    void navigate({ search: next === 'sites' ? {} : { part: next }, replace: true })
  const setup = kits.data && targets.data && (
    <FirstSteps
      hasKit={kits.data.in_use !== null}
      targets={targets.data}
      onCreateKit={show({ dialog: 'kit' })}
      onAdd={show({ dialog: 'add' })}
      onCheck={(target) => setShown({ dialog: 'check', target })}
    />
  )
  const onTargets = (
    <>
      <QueryState of={targets} />
      {targets.data && (
        <TargetsCard
          targets={targets.data}
          onAdd={show({ dialog: 'add' })}
          onCheck={(target) => setShown({ dialog: 'check', target })}
          onEdit={(target) => setShown({ dialog: 'edit', target })}
          onFind={(target) => setShown({ dialog: 'find', target })}
          onRemove={(target) => setShown({ dialog: 'remove', target })}
        />
      )}
      {targets.data && targets.data.length > 0 && <RulesCard />}
      <DashboardCard />
    </>
  )
  const onKit = (
    <>
      <QueryState of={kits} />
      {kits.data && <KitCard kits={kits.data} onCreate={show({ dialog: 'kit' })} />}
    </>
  )
  return (
    <Page
      title="Backups"
      about="Files and database of each site, encrypted, in a place of yours. Restore a site on its page."
    >
      {setup}
      <ShownCheck />
      <Tabs
        label="Parts of the backups"
        value={part}
        onChange={open}
        groups={[
          {
            name: '',
            tabs: [
              { value: 'sites', name: 'Sites', content: <SitesTab /> },
              { value: 'targets', name: 'Targets', content: onTargets },
              { value: 'kit', name: 'Recovery kit', content: onKit },
            ],
          },
        ]}
      />
      <Dialogs
        shown={shown}
        onClose={() => setShown(undefined)}
        onSites={() => {
          setShown(undefined)
          open('sites')
        }}
      />
    </Page>
  )
}

interface DialogsProps {
  shown: Shown | undefined
  onClose: () => void
  onSites: () => void
}

function Dialogs({ shown, onClose, onSites }: DialogsProps) {
  const target = shown && 'target' in shown ? shown.target : undefined
  const state = (...dialogs: Shown['dialog'][]) => ({
    open: shown !== undefined && dialogs.includes(shown.dialog),
    onClose,
  })
  return (
    <>
      <NewKit {...state('kit')} />
      <TargetForm {...state('add', 'edit')} target={target} />
      {target && <CheckTarget {...state('check')} target={target} />}
      {target && <FindBackups {...state('find')} target={target} onShow={onSites} />}
      {target && <RemoveTarget {...state('remove')} target={target} />}
    </>
  )
}
