/**
 * A published file is never edited: a change is a new migration, whose SHA-256 is added to the end
 * of this list.
 */
export const RELEASED = [
  // 0000_initial.sql
  '06e8d35ef854e14126391722a5d3eaadc2cc734e9a9fa69b2f4c1c513d95c3bc',
  // 0001_trust.sql
  '2b785c8b5d01f40420b3741814e02623002de176630c8dcdcb02ba607d4350bf',
  // 0002_key-rotation.sql
  'cdc89141d965d7fdf9fc6a3f8c0019c29fb4052dabb22897be9863f0e8f2f9cb',
  // 0003_operations.sql
  '795a197b7fe11ebffb5afa20d72525162ad7bbef757087b9261c19b43c1fb0c0',
  // 0004_trash.sql
  'e024affec2bca07f0328d37a8bc10892de9d2a95586a30de181071cb17e198be',
  // 0005_delivered.sql
  'c62485d4cd21912df85ae8b08167d25d7addc2c000b3c3437ac3d0ac67504ca1',
  // 0006_listing.sql
  'bd04de700df022de614e291c23de6cf5a3b30418f49ba5dcf2f4373ea7ff2310',
  // 0007_enrolment-reason.sql
  '742e45336341e9a9d92f9f50d54d7c3ed3d7aa900ddaf50b4247480bc3be672d',
  // 0008_metrics.sql
  '34229dd1b78d090a6cc521aa626302b6e112149a6a2e37ff80fd683c091cec17',
  // 0009_token-scopes.sql
  '0cf24843d0f1525a93c9c3ea1a1311a7e2353cdaa723e4c4af7126b69271b240',
  // 0010_imports.sql
  '5cbfc95c59a87b4c6d21dc9e33ec90304d65c6d2936f1e8d478704bf5bc8cb86',
  // 0011_database-routines.sql
  '1515fe8cc84797509ade01fb9e40922b9accfd557680e3834792b885cc83c2db',
  // 0012_isolation.sql
  '81563ef97f116008ebda8df4308beffdd790587e345c16256253305ef373e912',
  // 0013_disk-use.sql
  'd31fa043e34410b63f05127c60bf88883d40cbbeca06a10cd5aab4a97926d56e',
  // 0014_maintenance.sql
  '02b5d9a8eb43869e700be432088a0e8ec9d790c990fb054ebcff70db9943664f',
  // 0015_mail.sql
  '316200b1ae0f3bf6e8d6b668ffee2264d6423d4340adddb90f1a78cbbd48f73a',
  // 0016_cancelled.sql
  'f4ae271cd55a7c96208cb3355b55a883b04bf6557971f2505c62e4b97b05692f',
  // 0017_own-events.sql
  '62eefa1d56b95534302215eda1bbc93a6b4074904a9d43bf9b26ccffefacb978',
  // 0018_health.sql
  '9464bd852ec9e276fd27035d6c1376dfe311ef041799aaa65b781d55fb4af62e',
  // 0019_xmlrpc.sql
  '901358c0e6008f5f469bddd0e46e56337bfdd03b9dcd48136d87cf249483611d',
  // 0020_found-sites.sql
  '2231446527f085966610da079670179d517406d621baecba0635c79320e8b480',
  // 0021_server-mail.sql
  '8f83d7aa35272f2330d5daa2e5586ad7fdc25ed5e3c6a988df0a4da3bbdb1e3b',
  // 0022_found-facts.sql
  '14ce569564f01d2ea9b0f7634e27832ea7097217f5cef76f16a4364e1d1e61b6',
  // 0023_server-web.sql
  '452bfac483e50b4dee4f9adaeab7936aaec53699de7fdce11dc58d1a117fa3b1',
  // 0024_steps.sql
  '4a77bad7766b75e49e9d01fe489a25e1e0e00b25fadbb6ffd5563d5719a5a5d4',
  // 0025_codes.sql
  '84fa9f5616c1cfa38aa8fc60f05fc8bbaac890ffdcbff11d7161cbe5b60f8bd0',
  'd0a161c764516a1b13d42510155c2e21f1ce695e204fbd70b51767067687bc63',
  // 0027_keeper.sql
  'b8137c5ecb779db83675e0cda5a89316d7adadf84f9a9daf9827a0e9f4e5b50b',
  // 0028_copies.sql
  'cb3050327f8196d2b6dba02c9e86c3c2f94610cd2eff2e529b3160093c04ffe3',
  // 0029_backup-rules.sql
  '8ece52969bde97f19cc9fb9667cde27f537e8dfed2b47d0faf7d13e3e0f789e8',
  // 0030_proofs.sql
  '3eb2949cd68bb34b49a94c260f645ec010129087741ce8423239feb085e65f79',
  // 0031_exclusion.sql
  '66b479ec92f2347f81052c2c762d72542a31188952447674546000daa7e843f3',
  // 0032_backup-first.sql
  '2106e2bc7fd9aa2f8e4f9fa4d28df78e5f35055ba03e7f94bf60567df05d38cb',
  // 0033_site-settings.sql
  'e68c7461c78ce182b71bb0cd1fbb5b5830fa9066f8d82f6a4b2933c818ede368',
  // 0034_confirmed-sessions.sql
  '0c9a6ef4846d34ea04a625aee0ce4f468b58895e8af2e0565fbb17ad85ad46df',
  // 0035_restore-cause.sql
  '9a5d2d079c1b533978642c1d7788f4b95f3cce89b10a3739874d49370f6ad68a',
  // 0036_site-names.sql
  '63ef0286832bef84f155da88354045e61e642474dc2306637f21cdc04291e60c',
  // 0037_moves.sql
  'b843ed0503904013b1d64c4d775faed55e2fafe77e4234ae93588ebca1914dba',
  // 0038_job-troubles.sql
  '9a10f294ff73a775464f40c924e88084d1e1649c4acefc03c4c6d879feae975f',
  // 0039_access.sql
  '4438e52da1e69671e7663c6f72849d8b2350a3e1f4f9de01d98af1cb2f88eedc',
  // 0040_backup-indexes.sql
  'b2113c7674212f36de9b77a71d03eaceea4767563fdc54c72737e032229ceee9',
  // 0041_database-users.sql
  '6cec4e4aa05d9363442343bc64d3569144e61a4efcf98177f58ffb9e70624443',
  // 0042_site-numbers.sql
  '4d433f37e6a939f574139b492fc05988a36e2e2d77e5fac0a5644a53ce1937aa',
  // 0043_dns-accounts.sql
  '421fd580941a99ee2ae389752481b349c0c192c59d18b7b9b50d47b5ef671d37',
  // 0044_leases.sql
  'f5aa754a131b1228b2cf1bd944e2e1b90bc4de383da8ea210466279082f096dd',
  // 0045_dns-changes.sql
  'bc42de34f7c5843255be228218c6ca78c185955170630c39755d508bcacb3514',
  // 0046_client-accounts.sql
  'c0e605538769f8d020b8cff39a8ea2fdb08306fe30bafe0b945561f9868f350a',
  // 0047_exclusions.sql
  '5a587444d63546efc640f46caa623c74f8548dc8d987e20b69a59920e3cff4e7',
  // 0048_backups-per-server.sql
  'f36ec7bdae946d728eaa1ede914092b32d33aad8c43d2da29d686c5e6be607f8',
  // 0049_session-ends.sql
  'a1729a08355b70cecf0edb5efe00c270ef02fed9476eb003a2be8fc223117f7a',
  // 0050_sites-in-order.sql
  'bca37517191ca72a6eaedc5e735907fceb94cac70a807d39f1db66e1e8b995ad',
  // 0051_server-versions.sql
  '707ffce3285dad0d7b0c0480aed4c4f4c61a2d1ec0c44e91d34fc6d96d0bdea2',
  // 0052_marks.sql
  '25ead596b94ecb72d2a9c99d4ec8373bdf07cbdadd3c290da4b8016250011458',
  // 0053_dashboard-target.sql
  '8f84c8f38b327dba54ec1f9f160da972db2fd8b0d3baafe88da6108477639d21',
  // 0054_site-identity.sql
  'c127ca9e0ffa4081c6610f5bfbdf85956d0b54b8ad792b72219221694c75e45c',
  // 0055_repository-owners.sql
  'aaf347ff9e74b861395840447e675b3c26efaaf1b0e77666fd40d84c6f8f68ce',
  // 0056_repository-holders.sql
  '4ee5c2bf3b24109f07f7f2685b9e1d58cc54741dbd9625cf2b746d5e009d2c9c',
  // 0057_answered-by.sql
  '81ff23def9ef95208b420b818ad50ee63fb2599384a482d98d72f79598b354a4',
  // 0058_alerts.sql
  '2560262bee751f933fe993aff0ed4fbeda6cd49447de51f3ae70426b378a6ce6',
  // 0059_activity-source.sql
  'bd4d60548f0cde2cff7254673d4c2b15021b69f69ef86d434cd41719564620cc',
  // 0060_site-visits.sql
  'c98f5e50781214c74ade5a1d3884036990ff6e4fe76181c804ae17b55613c57e',
  // 0061_lost-servers.sql
  '65a32e5ee7a5937af8b3aa42d2f9da93b2b4ba8e4745608dc9260a51c014200e',
]
