import { type FigureRule, gaap, ifrs, oneOf } from './figure-rule-model.js'

/** Revenue of contracts with customers (ASC 606): all revenue at most companies, a part at banks, insurers and lessors. */
const OF_CONTRACTS = gaap(
  'RevenueFromContractWithCustomerExcludingAssessedTax',
  'RevenueFromContractWithCustomerIncludingAssessedTax',
)

const SALES = gaap('SalesRevenueNet')

/** Revenue that never comes from contracts with customers or from sales. */
const OUTSIDE_CONTRACTS = [
  ...gaap('InterestAndDividendIncomeOperating', 'NoninterestIncome', 'PremiumsEarnedNet'),
  ...gaap('RevenueNotFromContractWithCustomer', 'RevenueNotFromContractWithCustomerExcludingInterestIncome'),
  ...gaap('RevenueNotFromContractWithCustomerOther'),
  ...ifrs('RevenueFromInterest', 'InsuranceRevenue', 'RentalIncomeFromInvestmentProperty'),
]

/** Revenue of one kind. Some companies state it inside the total, others beside the revenue of contracts. */
const KINDS = [
  ...gaap('OperatingLeaseLeaseIncome', 'LeaseIncome', 'OperatingLeasesIncomeStatementLeaseRevenue'),
  ...gaap('OperatingLeaseLeaseIncomeLeasePayments', 'OperatingLeasesIncomeStatementMinimumLeaseRevenue'),
  ...gaap('SalesTypeLeaseRevenue', 'SalesTypeLeaseInterestIncome', 'SalesTypeLeaseLeaseIncome'),
  ...gaap(
    'DirectFinancingLeaseRevenue',
    'DirectFinancingLeaseInterestIncome',
    'DirectFinancingLeaseLeaseIncome',
  ),
  ...gaap(
    'CapitalLeasesIncomeStatementLeaseRevenue',
    'RealEstateRevenueNet',
    'OperatingLeaseVariableLeaseIncome',
  ),
  ...gaap('RegulatedOperatingRevenue', 'UnregulatedOperatingRevenue', 'ElectricUtilityRevenue'),
  ...gaap('ElectricDomesticRegulatedRevenue', 'GasDomesticRegulatedRevenue', 'UtilityRevenue'),
  ...gaap('RegulatedOperatingRevenueGas', 'RegulatedOperatingRevenueWater', 'RegulatedOperatingRevenueOther'),
  ...gaap('RegulatedOperatingRevenueElectricNonNuclear', 'OilAndGasRevenue', 'NaturalGasProductionRevenue'),
  ...gaap('GasGatheringTransportationMarketingAndProcessingRevenue', 'RefiningAndMarketingRevenue'),
  ...gaap('SalesRevenueGoodsNet', 'SalesRevenueServicesNet', 'SalesRevenueEnergyServices', 'LicensesRevenue'),
  ...gaap('TechnologyServicesRevenue', 'AdvertisingRevenue', 'FranchiseRevenue', 'RoyaltyRevenue'),
  ...gaap(
    'SubscriptionRevenue',
    'ContractsRevenue',
    'CasinoRevenue',
    'FoodAndBeverageRevenue',
    'CargoAndFreightRevenue',
  ),
  ...gaap('PassengerRevenue', 'RevenueOilAndGasServices', 'RevenueMineralSales', 'OtherSalesRevenueNet'),
  ...gaap('HealthCareOrganizationRevenue', 'HealthCareOrganizationPatientServiceRevenue'),
  ...gaap(
    'InvestmentBankingRevenue',
    'BrokerageCommissionsRevenue',
    'InvestmentAdvisoryFees',
    'FinancialServicesRevenue',
  ),
  ...gaap('RevenuesExcludingInterestAndDividends', 'RevenueFromRelatedParties', 'HomeBuildingRevenue'),
  ...ifrs('RevenueFromSaleOfGoods', 'RevenueFromRenderingOfServices', 'RevenueFromSaleOfElectricity'),
]

export const REVENUE: FigureRule = {
  ...oneOf('USD', 'period', [
    {
      largestOf: [
        ...gaap('Revenues', 'RevenuesNetOfInterestExpense').map((tag) => [tag]),
        OF_CONTRACTS,
        SALES,
        gaap('RegulatedAndUnregulatedOperatingRevenue'),
      ],
    },
    { largestOf: [ifrs('Revenue'), ifrs('RevenueFromContractsWithCustomers')] },
  ]),
  pieces: [{ tags: KINDS, parts: ['all'] }],
  exclusive: {
    tags: [...OF_CONTRACTS, ...SALES, ...ifrs('RevenueFromContractsWithCustomers')],
    beside: OUTSIDE_CONTRACTS,
  },
}
