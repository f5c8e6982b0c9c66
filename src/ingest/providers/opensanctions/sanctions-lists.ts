/**
 * Datasets of OpenSanctions that are sanctions lists. Source: the present and former members of its collection
 * `sanctions`, and the datasets that its sanctions programmes name. Registers, disqualifications and debarments are
 * not included.
 */
// biome-ignore format: many short names
const LISTS: ReadonlySet<string> = new Set([
  'ae_local_terrorists', 'ar_repet', 'at_nbter_sanctions', 'au_dfat_sanctions', 'au_listed_terrorist_orgs',
  'az_fiu_sanctions', 'be_fod_sanctions', 'bg_mft_national', 'bg_omnio_poi', 'ca_dfatd_sema_sanctions', 'ca_facfoa',
  'ca_listed_terrorists', 'ca_named_research_orgs', 'ca_sema_sanctions_news', 'ch_fiaa_freezes', 'ch_seco_sanctions',
  'cn_sanctions', 'cz_national_sanctions', 'cz_terrorists', 'de_bfv_extremism', 'ee_international_sanctions',
  'eg_terrorists', 'eu_esma_saris', 'eu_fsf', 'eu_journal_sanctions', 'eu_sanctions', 'eu_sanctions_map',
  'eu_travel_bans', 'fr_tresor_gels_avoir', 'gb_fcdo_sanctions', 'gb_hmt_invbans', 'gb_hmt_sanctions', 'ge_ot_list',
  'id_dttot', 'ie_unlawful_organizations', 'il_mod_crypto', 'il_mod_terrorists', 'il_wmd_sanctions', 'in_mha_banned',
  'iq_aml_list', 'ir_sanctions', 'jo_sanctions', 'jp_meti_eul', 'jp_meti_ru', 'jp_mof_sanctions', 'ke_frc_sanctions',
  'kg_fiu_national', 'li_entsg', 'lt_fiu_freezes', 'lt_magnitsky_amendments', 'lv_fiu_sanctions', 'lv_magnitsky_list',
  'mc_fund_freezes', 'md_terror_sanctions', 'my_moha_sanctions', 'ng_nigsac_sanctions', 'nl_terrorism_list',
  'np_mha_sanctions', 'nz_designated_terrorists', 'nz_russia_sanctions', 'ph_amlc_sanctions', 'pk_proscribed_persons',
  'pl_finanse_sanctions', 'pl_mswia_sanctions', 'ps_local_freezing', 'qa_nctc_sanctions', 'ro_onpcsb_sanctions',
  'rs_apml_domestic', 'ru_mfa_sanctions', 'sa_pcct_terrorism_list', 'sg_terrorists', 'th_designated_person', 'tn_cnlct',
  'tr_fcib', 'tw_shtc', 'ua_nsdc_sanctions', 'ua_sfms_blacklist', 'ua_war_sanctions', 'un_1718_vessels',
  'un_sc_sanctions', 'us_bis_denied', 'us_bis_mieu', 'us_cbp_forced_labor', 'us_cuba_sanctions',
  'us_dhs_uflpa', 'us_dod_chinese_milcorps', 'us_fincen_special_measures', 'us_klepto_hr_visa', 'us_ofac_cons',
  'us_ofac_sdn', 'us_sanctions', 'us_special_leg', 'us_state_terrorist_exclusion', 'us_state_terrorist_orgs',
  'us_trade_csl', 'vn_terrorist_orgs', 'za_fic_sanctions',
])

/** Words in the name of a sanctions list that is newer than this table. */
const NAMED_SO = /^[a-z]{2}_(?:\w+_)?(?:sanctions|terrorists|terror_sanctions|asset_freezes)$/

/** Whether a dataset of OpenSanctions is a sanctions list, not merely a register with the entity. */
export function isSanctionsList(dataset: string): boolean {
  return LISTS.has(dataset) || NAMED_SO.test(dataset)
}
